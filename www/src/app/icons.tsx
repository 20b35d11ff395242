import type { JSX } from "preact";

const PATHS = {
  alert:
    "M12 8v5m0 3v.01M10.3 3.9 2.6 17.2A2 2 0 0 0 4.3 20h15.4a2 2 0 0 0 1.7-2.8L13.7 3.9a2 2 0 0 0-3.4 0Z",
  arrowDown: "M12 5v14m0 0 6-6m-6 6-6-6",
  arrowUp: "M12 19V5m0 0-6 6m6-6 6 6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevron: "m9 6 6 6-6 6",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Zm9.5 2.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5Z",
  eyeOff:
    "M4 4l16 16M9.9 5.8A9.6 9.6 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3.2 3.9M6.2 7.6A16.5 16.5 0 0 0 2.5 12S6 18.5 12 18.5c1.6 0 3-.4 4.2-1",
  monitor: "M4 5h16v11H4zM9 20h6m-3-4v4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  panel: "M4 5h16v14H4zM9.5 5v14",
  pencil: "m4 20 1-4L16.5 4.5l3 3L8 19l-4 1Z",
  plus: "M12 5v14M5 12h14",
  refresh: "M20 11a8 8 0 0 0-14.3-4L4 9m0-5v5h5m-5 4a8 8 0 0 0 14.3 4L20 15m0 5v-5h-5",
  sun: "M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2.5v2m0 15v2M2.5 12h2m15 0h2M5.3 5.3l1.4 1.4m10.6 10.6 1.4 1.4m0-13.4-1.4 1.4M6.7 17.3l-1.4 1.4",
  tool: "M14.5 6.5a4 4 0 0 1 5-1.2l-2.7 2.7 1.2 2 2.3.3a4 4 0 0 1-5.5 3L8 20.2a2 2 0 0 1-3-2.9l6.8-6.7a4 4 0 0 1 2.7-4.1Z",
  trash: "M5 7h14M10 7V4h4v3m-7.5 0 .8 13h9.4l.8-13M10 11v5m4-5v5",
} as const;

export type IconName = keyof typeof PATHS;

/** A line icon; it never carries meaning alone, so assistive technology does not see it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A filled square: the sign of every stop button. */
export function StopIcon(): JSX.Element {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="6" y="6" width="12" height="12" rx="2.5" fill="currentColor" />
    </svg>
  );
}

export function BrandMark(): JSX.Element {
  return (
    <svg class="brand-mark" width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path class="brand-lines" d="M9 22V11l7 7 7-7v11" />
      <circle class="brand-dot" cx="9" cy="10.5" r="2.6" />
      <circle class="brand-dot" cx="23" cy="10.5" r="2.6" />
      <circle class="brand-dot" cx="16" cy="18" r="2.6" />
    </svg>
  );
}
