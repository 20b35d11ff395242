import { defineConfig, type Plugin } from "vite";

/**
 * The policy the built page runs under. `connect-src` is wider than `default-src` because a person
 * may point the playground at any OpenAI-compatible server; nothing else may leave the origin.
 */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self' https: http:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The one classic script, outside of the bundle: it has to run before the first paint. */
function earlyTheme(): Plugin {
  return {
    name: "early-theme",
    transformIndexHtml: {
      order: "post",
      handler: () => [{ tag: "script", attrs: { src: "./theme.js" }, injectTo: "head" }],
    },
  };
}

/** Vite's dev server injects `<style>` elements, so only the build carries the policy. */
function contentSecurityPolicy(): Plugin {
  return {
    name: "content-security-policy",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: () => [
        {
          tag: "meta",
          attrs: { "http-equiv": "Content-Security-Policy", content: POLICY },
          injectTo: "head-prepend",
        },
      ],
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [earlyTheme(), contentSecurityPolicy()],
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // `fetch("data:…")` and data: fonts or images are refused by the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
