// Stands in for packages that need Node and that no bench reaches.
export class GoogleAuth {}
export class OAuth2Client {}
export default {};
