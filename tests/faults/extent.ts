/** The short form is part of `npm test`; the command runs the long one. */
export const IS_LONG = process.env.FAULTS === "long";
