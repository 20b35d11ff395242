import { defineConfig } from "vitest/config";

// The faults suite: `npm run test:faults`, and its short form in `npm test`.
export default defineConfig({
  test: {
    include: ["faults/**/*.test.ts"],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: ["default", "./faults/table.ts"],
  },
});
