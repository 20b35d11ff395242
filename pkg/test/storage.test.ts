import { expect, test } from "vitest";
import { isForeign } from "../src/storage.js";

test.each<[string, string[], boolean | undefined]>([
  ["https://a.example.com", [], false],
  ["https://a.example.com", ["https://a.example.com:8443"], false],
  ["https://a.example.com", ["https://b.other.org"], true],
  ["https://a.example.com", ["http://a.example.com"], true],
  ["https://a.example.com", ["null"], true],
  ["https://a.example.com", ["https://b.example.com"], undefined],
  ["https://a.co.uk", ["https://b.co.uk"], undefined],
  ["https://a.example.com", ["https://b.example.com", "https://b.other.org"], true],
  ["http://127.0.0.1:80", ["http://localhost:80"], true],
  ["http://10.1.0.1", ["http://10.2.0.1"], true],
  ["http://[::1]:80", ["http://[::2]:80"], true],
])("a frame of %s in %j is of another site: %s", (own, ancestors, expected) => {
  expect(isForeign(own, ancestors)).toBe(expected);
});
