// A month of believable submissions for the console's stand-in.
import type {
  AuditRow,
  DayCount,
  MailRow,
  OperatorRow,
  SubmissionDetail,
  SubscriberRow,
  TriageStatus,
} from "@submissions/shared/console";

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** A submission as the stand-in keeps it. */
export type Stored = Mutable<Omit<SubmissionDetail, "duplicates" | "notes" | "history">> & {
  readonly notes: SubmissionDetail["notes"][number][];
  readonly history: SubmissionDetail["history"][number][];
  changedBy: string | null;
  changedAt: number | null;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const people: readonly (readonly [name: string, email: string, company: string | null, text: string])[] = [
  ["Anna Müller", "anna.mueller@kalomi.example", "Kalomi GmbH", "English, Scottish accents · German, Austria"],
  [
    "Ben Novák",
    "ben.novak@mail.example",
    null,
    "Accent annotator: I grew up between Brno and Vienna and hear small differences.",
  ],
  ["Chiamaka Okafor", "chiamaka@voxlab.example", "Voxlab Ltd", "Yoruba, Lagos"],
  [
    "Diego Fernández Álvarez de la Torre y Santamaría",
    "diego.fernandez.alvarez@universidad-de-las-montanas.example",
    "Universidad de las Montañas Azules, Departamento de Lingüística",
    "Spanish, Andean · Quechua, Cusco · Aymara",
  ],
  ["Elif Yılmaz", "elif@yilmaz.example", "Ses Atölyesi", "Turkish, Black Sea coast"],
  [
    "Finn O’Connor",
    "finn@oconnor.example",
    null,
    "Field recorder: Two years of interviews in Connacht, own equipment.",
  ],
  ["Grace Kim", "grace.kim@tonari.example", "Tonari Inc.", "Korean, Gyeongsang · Japanese, Kansai"],
  ["Hassan Ali", "hassan@mailinator.example", null, "Translator: Available at once."],
  ["Ines Carvalho", "ines@carvalho.example", "Fala Estúdio", "Portuguese, Azores"],
  ["Jonas Berg", "jonas.berg@nordtal.example", "Nordtal AS", "Norwegian, Trøndelag"],
  ["Kavya Reddy", "kavya.reddy@mail.example", null, "Speech data engineer: Please find my resume attached."],
  ["Liam Walsh", "liam@walsh.example", "Harbour Games", "English, Scottish accents"],
];

const letter = `Dear team,

I am writing about the position of accent annotator. For the last three years I have transcribed and annotated conversational speech at the university's phonetics laboratory, mostly of Czech speakers of German.

I hear small differences well, I am patient, and I like to document what I do. Samples are on my page.

I could begin in January.

Kind regards
Ben Novák`;

/** Numbers that look random and are the same each time. */
function dice(): (sides: number) => number {
  let state = 7;
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
}

const me = "eva@voices.example";
const ben = "ben.hart@voices.example";
const cleo = "cleo@voices.example";

/** Fresh data, as of an instant. */
export function fixtures(now: number) {
  const roll = dice();
  let arrival = 4_000;

  const make = (given: { readonly name?: string; readonly index?: number; readonly receivedAt?: number }): Stored => {
    const index = given.index ?? 0;
    const [name, email, company, text] = people[index % people.length] ?? people[0]!;
    const position = company === null ? (text.split(":")[0] ?? "") : null;
    const kind = position === null ? "inquiry" : "application";
    const receivedAt = given.receivedAt ?? now;
    const day = new Date(receivedAt).toISOString().slice(0, 10).replaceAll("-", "");
    const reference = `${kind === "inquiry" ? "INQ" : "APP"}-${day}-${String((arrival * 7_919) % 1_000_000).padStart(6, "0")}`;
    const ageMs = now - receivedAt;
    const status: TriageStatus =
      ageMs < 6 * hourMs
        ? "new"
        : index % 11 === 10
          ? "spam"
          : ageMs < 3 * dayMs
            ? (["new", "open", "open", "done"] as const)[roll(4)]!
            : roll(12) === 0
              ? "open"
              : "done";
    const assignee = status === "new" || status === "spam" ? null : ([me, ben, cleo] as const)[roll(3)]!;
    const hasResume = kind === "application" && index % 5 !== 0;
    const mail = (what: "receipt" | "notice", state: MailRow["status"]): MailRow => ({
      id: `${arrival}-${what}`,
      kind: `${kind}-${what}`,
      reference,
      email: what === "receipt" ? email : null,
      status: state,
      attempts: state === "sent" ? 1 : 4,
      createdAt: receivedAt,
      dueAt: state === "queued" ? now + 25 * minuteMs : null,
      sentAt: state === "sent" ? receivedAt + 900 : null,
      lastError: state === "failed" ? "The provider refused the address: inactive recipient (406)." : null,
    });
    const fields: Stored["fields"] =
      kind === "inquiry"
        ? {
            name,
            email,
            company,
            selectedPackageIds: text.split(" · ").map((title) => title.toLowerCase().replaceAll(/[^a-z]+/g, "-")),
          }
        : {
            fullName: name,
            email,
            position,
            phone: "+44 (0)20 7946-0018",
            company: null,
            availability: "From January, three days a week",
            accent: "Czech, Moravian",
            portfolioUrl: "https://portfolio.example/ben-novak/samples?from=letter",
            resumeUrl: null,
            coverLetter: letter,
            language: "de",
            consentText: "2026-11",
            consentPage: "https://www.example.org/careers",
          };
    arrival += 1;
    return {
      arrival,
      reference,
      kind,
      name: given.name ?? name,
      email,
      company,
      summary: kind === "inquiry" ? text : `${position}: ${text.split(": ")[1] ?? ""}`,
      status,
      assignee,
      version: 1,
      receivedAt,
      hasResume,
      disposable: email.includes("mailinator"),
      fields,
      packageTitles: Object.fromEntries(
        kind === "inquiry"
          ? text.split(" · ").map((title) => [title.toLowerCase().replaceAll(/[^a-z]+/g, "-"), title])
          : [],
      ),
      resume: hasResume
        ? { filename: "ben-novak-resume.pdf", kind: "pdf", size: 248_113, sha256: "0".repeat(64), download: "allowed" }
        : null,
      mails: status === "spam" ? [] : [mail("receipt", "sent"), mail("notice", index % 6 === 1 ? "failed" : "sent")],
      notes:
        index % 6 === 1
          ? [
              {
                id: arrival,
                author: ben,
                at: receivedAt + 20 * minuteMs,
                text: "Spoke on the phone: very good ear. Ask for a sample of Moravian German before we decide.",
              },
            ]
          : [],
      history:
        status === "done"
          ? [
              {
                at: receivedAt + 2 * hourMs,
                operator: ben,
                action: "status",
                detail: { from: "new", to: "open", assignee },
              },
              {
                at: receivedAt + 5 * hourMs,
                operator: assignee ?? ben,
                action: "status",
                detail: { from: "open", to: "done" },
              },
            ]
          : [],
      changedBy: null,
      changedAt: null,
    };
  };

  const total = 130;
  const submissions = Array.from({ length: total }, (_, index) => {
    const fromEnd = total - 1 - index;
    const receivedAt = now - 4 * minuteMs - fromEnd ** 1.35 * hourMs - roll(50) * minuteMs;
    return make({ index: fromEnd, receivedAt: Math.round(receivedAt) });
  }).toReversed();

  const days: DayCount[] = Array.from({ length: 30 }, (_, index) => {
    const at = now - (29 - index) * dayMs;
    const weekend = [0, 6].includes(new Date(at).getUTCDay());
    return {
      day: new Date(at).toISOString().slice(0, 10),
      inquiries: weekend ? roll(5) : 8 + roll(14),
      applications: weekend ? roll(3) : 2 + roll(8),
    };
  });
  const growth = days.map(({ day }, index) => ({ day, active: 1_180 + index * 9 + roll(12) }));
  const sources = ["footer", "blog", "podcast", "front-page"];
  const states = ["active", "active", "active", "pending", "active", "unsubscribed", "bounced"] as const;
  const subscribers: SubscriberRow[] = Array.from({ length: 64 }, (_, index) => {
    const [, email] = people[index % people.length] ?? people[0]!;
    const status = states[index % states.length]!;
    const subscribedAt = now - index * 7 * hourMs - 12 * minuteMs;
    return {
      arrival: 900 - index,
      email: index < people.length ? email : email.replace("@", `.${index}@`),
      status,
      source: sources[roll(4)]!,
      lastSource: "footer",
      subscribedAt,
      confirmedAt: status === "pending" ? null : subscribedAt + 9 * minuteMs,
      language: index === 0 ? "de" : "en",
      consent: { text: "2026-11", page: "https://www.example.org/", at: subscribedAt },
      unsubscribedAt: status === "unsubscribed" ? subscribedAt + 2 * dayMs : null,
      disposable: email.includes("mailinator"),
    };
  });
  const mails: MailRow[] = [
    ...submissions
      .flatMap((one) => one.mails)
      .filter(({ status }) => status === "failed")
      .slice(0, 7),
    {
      id: "doubt",
      kind: "inquiry-receipt",
      reference: submissions[4]?.reference ?? null,
      email: "elif@yilmaz.example",
      status: "in-doubt",
      attempts: 2,
      createdAt: now - 40 * minuteMs,
      dueAt: null,
      sentAt: null,
      lastError: "The connection broke after the message was handed over.",
    },
    {
      id: "queued",
      kind: "newsletter-welcome",
      reference: null,
      email: `${"very.".repeat(10)}long.address@${"long-label.".repeat(16)}example.org`,
      status: "queued",
      attempts: 1,
      createdAt: now - 3 * minuteMs,
      dueAt: now + 4 * minuteMs,
      sentAt: null,
      lastError: "The provider answered 503.",
    },
    ...submissions
      .flatMap((one) => one.mails)
      .filter(({ status }) => status === "sent")
      .slice(0, 20),
  ];
  const actions: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ["sign-in", "", {}],
    ["status", submissions[0]?.reference ?? "", { from: "new", to: "open" }],
    ["resume.view", submissions[1]?.reference ?? "", {}],
    ["export", "inquiries", { format: "csv", since: Date.UTC(2026, 10, 1, 12) }],
    ["note", submissions[1]?.reference ?? "", {}],
    ["erase", "", { submissions: 2, resumes: 1 }],
  ];
  const audit: AuditRow[] = Array.from({ length: 24 }, (_, index) => {
    const [action, subject, detail] = actions[index % actions.length]!;
    return {
      id: 500 - index,
      at: now - index * 37 * minuteMs,
      operator: [me, ben, cleo][index % 3]!,
      action,
      subject,
      detail,
    };
  });
  const operators: OperatorRow[] = [
    { email: me, role: "admin", state: "active", createdAt: now - 200 * dayMs },
    { email: ben, role: "sales", state: "active", createdAt: now - 90 * dayMs },
    { email: cleo, role: "recruiting", state: "active", createdAt: now - 40 * dayMs },
    { email: "dario@voices.example", role: "marketing", state: "invited", createdAt: now - 2 * dayMs },
  ];
  return { submissions, subscribers, mails, audit, operators, days, growth, make };
}
