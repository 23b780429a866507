// The look of the forms inside their shadow roots. Pages change it by custom properties and parts (docs/forms.md).
// Light and dark follow the `color-scheme` of the page around.

/** The style sheet of the shadow roots, as CSS. */
export const formStyle = `
:host {
  display: block;
  container-type: inline-size;
  --accent: var(--form-accent, light-dark(#1d4ed8, #8ab8ff));
  --on-accent: var(--form-on-accent, light-dark(#fff, #0b1830));
  --text: var(--form-text, light-dark(#1b1f27, #e4e7ec));
  --quiet: var(--form-quiet, light-dark(#596273, #9ea8b8));
  --surface: var(--form-surface, light-dark(#fff, #1d2128));
  --line: var(--form-line, light-dark(#828b9a, #717c8d));
  --hairline: var(--form-hairline, light-dark(#dfe2e8, #333a45));
  --bad: var(--form-error, light-dark(#a8281b, #ff9d8c));
  --good: var(--form-success, light-dark(#17693a, #78d19a));
  --radius: var(--form-radius, 8px);
  --gap: var(--form-gap, 1.375rem);
}
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
.frame {
  max-width: var(--form-width, 38rem);
  color: var(--text);
  font: var(--form-font, 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  text-align: start;
  overflow-wrap: break-word;
  text-underline-offset: .2em;
}
form, .grid { display: grid; gap: var(--gap); margin: 0; }
.grid > * { min-width: 0; }
fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
form > fieldset { padding-top: var(--gap); border-top: 1px solid var(--hairline); }
.trap + fieldset { padding-top: 0; border-top: 0; }
legend { padding: 0; }
form > fieldset > legend { float: inline-start; width: 100%; margin-bottom: 1rem; font-size: 1.125em; font-weight: 650; }
form > fieldset > legend + * { clear: both; }
p { margin: 0; }
.field > label, .field > legend { display: block; margin-bottom: .375rem; font-weight: 600; }
.optional { color: var(--quiet); font-weight: 400; }
.hint, .chosen span, .reference > span, ::slotted(*), .privacy { margin: 0; color: var(--quiet); font-size: .9375em; }
.hint { margin-bottom: .375rem; }
.error, .note { margin-top: .375rem; font-size: .9375em; }
fieldset > .error { margin: 0 0 .5rem; }
.error { position: relative; padding-inline-start: 1.65em; color: var(--bad); font-weight: 600; }
.note, .percent { color: var(--quiet); font-variant-numeric: tabular-nums; }
.error::before { content: "!"; content: "!" / ""; position: absolute; inset-block-start: .125em; inset-inline-start: 0; width: 1.25em; height: 1.25em; border-radius: 50%; background: var(--bad); color: light-dark(#fff, #2a0d08); font-weight: 700; line-height: 1.25; text-align: center; }
input:not([type=checkbox]), textarea, select {
  display: block;
  width: 100%;
  min-height: 2.875rem;
  margin: 0;
  padding: .5625rem .75rem;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--surface);
  color: inherit;
  font: inherit;
}
.busy [data-field] :is(input, textarea, select, .box, .drop) { background: color-mix(in srgb, var(--text) 5%, var(--surface)); cursor: default; }
.choice:not(:has(option[value="*"]:checked)) > input { display: none; }
.choice > input { margin-top: .5rem; }
textarea { resize: vertical; }
.summary, .receipt, input, textarea, select { scroll-margin-block: 8rem; }
[aria-invalid=true]:not([type=checkbox]) { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
:focus-visible, .box:has(:focus-visible), .drop.scripted:has(input:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
:is(input:not([type=checkbox]), textarea, select):focus-visible { border-color: var(--accent); outline-width: 2px; outline-offset: 0; box-shadow: 0 0 0 5px color-mix(in srgb, var(--accent) 18%, transparent); }
.boxes { display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); }
.boxes:has(> :nth-child(13)) { max-height: 22.5rem; padding: .5rem; border: 1px solid var(--hairline); border-radius: var(--radius); overflow-y: auto; }
.box { display: flex; gap: .75rem; align-items: center; min-height: 2.875rem; padding: .5rem .75rem; border: 1px solid var(--hairline); border-radius: var(--radius); background: var(--surface); cursor: pointer; }
.box:has(:checked) { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 8%, var(--surface)); }
.box > span { min-width: 0; }
input[type=checkbox] { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); outline: 0; }
.drop { position: relative; display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; padding: .75rem; border: 1.5px dashed var(--line); border-radius: var(--radius); background: var(--surface); }
.drop svg { flex: none; fill: none; stroke: var(--quiet); stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.drop input[type=file] { flex: 1; width: auto; min-width: 0; min-height: 0; padding: .25rem; border: 0; background: none; box-shadow: none; }
.drop ::file-selector-button { margin-inline-end: .75rem; padding: .25rem .875rem; border: 1px solid var(--line); border-radius: var(--radius); background: transparent; color: inherit; font: inherit; }
.drop.scripted { min-height: 4.5rem; padding: .75rem 1rem; }
.drop.scripted:hover, .drop.over { border-color: var(--accent); }
.drop.over { border-style: solid; background: color-mix(in srgb, var(--accent) 10%, var(--surface)); }
.drop:has([aria-invalid=true]) { border-color: var(--bad); }
.drop.scripted input[type=file] { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; cursor: pointer; }
.drop b { color: var(--accent); font-weight: 600; text-decoration: underline; }
.invitation span { color: var(--quiet); }
.chosen { flex: 1; min-width: 0; }
.chosen span, .reference > span { display: block; }
.drop button { position: relative; z-index: 1; }
button { min-height: 2.875rem; margin: 0; padding: .5625rem 1.375rem; border: 1px solid transparent; border-radius: var(--radius); background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button[aria-disabled=true] { display: inline-flex; gap: .625rem; align-items: center; justify-content: center; opacity: .75; cursor: progress; }
button[aria-disabled=true]::before { content: ""; width: 1em; height: 1em; border: 2px solid; border-inline-end-color: transparent; border-radius: 50%; animation: turn .8s linear infinite; }
@keyframes turn { to { rotate: 1turn; } }
button.link { min-height: 1.75rem; padding: 0; border: 0; background: none; color: var(--accent); font-weight: inherit; text-decoration: underline; }
button.quiet { border-color: var(--line); background: transparent; color: inherit; font-weight: 500; }
.drop button.quiet, .reference button { min-height: 2.25rem; padding: .25rem .875rem; }
.send { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; }
.status { flex: 1 1 auto; color: var(--quiet); }
.send .status:empty { flex-basis: 0; }
slot { display: contents; }
.privacy a { color: var(--accent); }
progress { order: 1; flex: 1 0 100%; width: 100%; height: .5rem; border: 0; border-radius: 1rem; overflow: hidden; appearance: none; background: var(--hairline); color: var(--accent); }
progress::-webkit-progress-bar { background: var(--hairline); }
progress::-webkit-progress-value { border-radius: 1rem; background: var(--accent); }
progress::-moz-progress-bar { border-radius: 1rem; background: var(--accent); }
.summary { padding: 1rem 1.25rem; border: 1px solid var(--bad); border-inline-start-width: 5px; border-radius: var(--radius); background: color-mix(in srgb, var(--bad) 6%, var(--surface)); }
.summary h2 { margin: 0; font-size: 1em; font-weight: 650; }
.summary > * + * { margin-top: .5rem; }
.summary > button { margin-top: .875rem; }
.summary ul { margin-bottom: 0; padding-inline-start: 1.25rem; }
.summary a { color: var(--bad); }
.receipt { padding: 1.75rem; border: 1px solid var(--hairline); border-radius: calc(var(--radius) * 1.5); background: var(--surface); }
.receipt > * + * { margin-top: .875rem; }
.receipt h2 { margin: 1rem 0 0; font-size: 1.375em; line-height: 1.25; }
.sign { display: block; fill: color-mix(in srgb, var(--good) 14%, transparent); stroke: var(--good); stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.sign circle { stroke: none; }
.sign path { fill: none; }
.reference button { margin: .25rem .5rem .25rem 0; }
.reference strong { font-size: 1.125em; font-variant-numeric: tabular-nums; user-select: all; }
.trap { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@container (min-width: 32rem) {
  .grid { grid-template-columns: 1fr 1fr; align-items: start; }
  .grid > :not(.half) { grid-column: 1 / -1; }
  .newsletter form { grid-template-columns: 1fr auto; align-items: start; column-gap: .75rem; }
  .newsletter :is(.summary, .privacy), .newsletter ::slotted(*) { grid-column: 1 / -1; }
  .newsletter ::slotted(*), .newsletter .privacy { order: 1; }
  .newsletter .send { display: contents; }
  .newsletter .send [type=submit] { margin-top: 1.875rem; }
  .newsletter .status { align-self: center; order: 2; }
  .newsletter .send [data-do=cancel] { grid-column: 2; order: 3; }
  .newsletter .status:empty { display: none; }
}
@container (max-width: 26rem) {
  .send button[type=submit] { width: 100%; }
}
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation: none !important; }
}
@media (forced-colors: active) {
  button[aria-disabled=true] { opacity: 1; color: GrayText; }
}
`;
