// The front page: what is sold, and the forms.
import { fieldOfKind } from "@submissions/shared/field-table";
import { type FormName, forms } from "@submissions/shared/forms/form-fields";
import { html, type Markup } from "@submissions/shared/html";
import { packageIdsMax } from "@submissions/shared/limits";
import type { CataloguePackage } from "../../config/catalogue.ts";
import { counted } from "../../field-values.ts";
import { siteAssets } from "./assets.ts";
import { type Filled, formElement } from "./form-element.ts";
import { formOrder, formPages, packagesWith, type Site } from "./site.ts";
import { formsHead, sitePage } from "./frame.ts";

const description = "Speech datasets in the accents and varieties that people really speak, recorded with consent.";

/** @param wanted packages that are ticked in the forms; unknown ones are left out */
export function frontPage(site: Site, wanted: readonly string[]): string {
  const root = "";
  const ids = wanted.slice(0, packageIdsMax);
  const packages = packagesWith(site, ids);
  const ticked = packages.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
  const filledIn = (form: FormName): Filled => {
    const list = fieldOfKind(forms[form].fields, "packages");
    return list === undefined ? {} : { packages, values: { [list]: ticked } };
  };
  return sitePage({
    site,
    root,
    title: site.brand,
    head: html`<meta name="description" content="${description}" /> ${formsHead(site, root)}`,
    body: html`<main id="content">
      ${hero()} ${datasets()} ${catalogue(site)}
      ${formOrder.map((form, at) => formSection(form, at % 2 === 0, formElement(form, site, root, filledIn(form))))}
    </main>`,
  });
}

function formSection(form: FormName, isBand: boolean, element: Markup): Markup {
  const { anchor, front } = formPages[form];
  return html`<section${isBand && html` class="band"`} id="${anchor}" aria-labelledby="${anchor}-heading">
    <div class="beside">
      <div>
        <h2 id="${anchor}-heading">${front.heading}</h2>
        <p>${front.text}</p>
        ${front.more && html`<p class="quiet">${front.more}</p>`}
      </div>
      ${element}
    </div>
  </section>`;
}

const hero = (): Markup =>
  html`<section class="hero" aria-labelledby="hero-heading">
    <div>
      <h1 id="hero-heading">Speech data that sounds like the people you serve</h1>
      <p class="lead">
        Recordings in the accents and varieties that people really speak. Made with their consent, checked by ear, and
        ready to train and to test with.
      </p>
      <p class="actions">
        <a class="button" href="#packages">See the packages</a>
        <a class="button second" href="#careers">Work with us</a>
      </p>
    </div>
    <img src="${siteAssets.waveform.href}" alt="" width="560" height="320" />
  </section>`;

const datasets = (): Markup =>
  html`<section class="features" aria-label="What is in a dataset">
    <div>
      <h2>Recorded with consent</h2>
      <p>Every speaker agreed to what the recordings are used for, was paid, and can withdraw the consent.</p>
    </div>
    <div>
      <h2>Transcribed by ear</h2>
      <p>Two annotators who grew up with the variety write down what is said and how. A third one settles doubts.</p>
    </div>
    <div>
      <h2>Ready to use</h2>
      <p>WAV at 16 or 48 kHz, time-aligned text, speaker statistics, and a split that keeps speakers apart.</p>
    </div>
  </section>`;

/** What the catalogue says of a package: `120 hours · 84 speakers`, and below it the licence. */
const factsOf = ({ hours, speakers, licence }: CataloguePackage): Markup => {
  const size = [hours !== null && counted(hours, "hour"), speakers !== null && counted(speakers, "speaker")];
  return html`<p class="facts">
    ${size.filter(Boolean).join(" · ")}${licence !== null && html`<span>${licence}</span>`}
  </p>`;
};

const catalogue = ({ packages }: Site): Markup =>
  html`<section id="packages" aria-labelledby="packages-heading">
    <h2 id="packages-heading">Packages</h2>
    <ul class="cards">
      ${packages.map(
        (offered) =>
          html`<li>
            <h3>${offered.title}</h3>
            ${factsOf(offered)}
            <a href="?package=${encodeURIComponent(offered.id)}#inquiry" data-package="${offered.id}"
              >Ask about it<span class="unseen">: ${offered.title}</span></a
            >
          </li>`,
      )}
    </ul>
  </section>`;
