// Names and texts that made-up submissions are composed of.
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const firstNames = words(`
  Anna Ben Clara David Eva Felix Greta Hugo Ines Jonas Katarína Luis Mariam Noah Olga Pedro Quinn Rosa Samir Tomáš Uma
  Viktor Wanda Xiadani Yusuf Zoë Aïcha Bjørn Chiara Dilara Émile Fatou Giulia Haruto Íris Jörg Kwame Léa
`);

export const lastNames = words(`
  Abebe Bauer Cohen Dubois Eriksen Ferreira García Hansen Ivanova Jansen Kowalski Lindqvist Müller Novák Okafor
  Papadopoulos Quispe Rossi Souza Tanaka Ünal Vega Wójcik Xu Yılmaz Zimmermann Ångström Boateng Çelik Delgado O'Brien
  Nguyễn Sørensen
`);

/** Names in other alphabets, and how their owners spell them in addresses. */
export const people = [
  ["Δημήτρης Παπαδόπουλος", "dimitris.papadopoulos"],
  ["Олена Шевченко", "olena.shevchenko"],
  ["Ирина Соколова", "irina.sokolova"],
  ["佐藤 遥", "haruka.sato"],
  ["王小明", "xiaoming.wang"],
  ["김서연", "seoyeon.kim"],
  ["محمد الحسن", "mohamed.alhassan"],
  ["נועה לוי", "noa.levi"],
  ["नेहा शर्मा", "neha.sharma"],
] as const;

export const companies = [
  "Kalomi GmbH",
  "Harbour Speech Labs",
  "Northwind Audio",
  "Estúdio Aurora",
  "Lumen Learning",
  "Polyglot AB",
  "Tidal Assistants",
  "Voces del Sur",
  "Brightline Robotics",
  "Maison Écho",
  "Quill & Reed",
  "Senda Health",
];

export const domains = words(`
  example.org example.com mail.example.net studio.example post.example voices.example
`);

/** A host of throw-away addresses, by the public list. */
export const throwAwayDomain = "mailinator.com";

export const packages = words(`
  en-GB-scottish en-IE en-US-southern de-AT de-CH pt-BR-recife es-MX fr-CA it-IT-sicilian sv-FI pl-PL tr-TR ar-EG hi-IN
  ja-JP-kansai
`);

export const positions = [
  "Accent annotator",
  "Voice talent",
  "Speech data engineer",
  "Dialect coach",
  "Recording lead",
];

export const letters = [
  "I have labelled conversational speech for six years and would like to do so for your team.",
  "My first language is spoken by few people in your catalogue, and I would be glad to change that.",
  "At present I record audio books. I own a quiet booth and can deliver forty minutes of clean speech a day.",
  "I moved between three regions as a child and switch accents without thinking; a sample is on my page.",
  "As a phonetician I have transcribed field recordings and trained annotators in two countries.",
];

export const availabilities = [
  "At once",
  "From next month",
  "Evenings and weekends",
  "20 hours a week",
  "After the summer",
];

export const accents = [
  "Scottish English",
  "Bavarian German",
  "Canadian French",
  "Kansai Japanese",
  "Recife Portuguese",
  "Hiberno-English",
  "Sicilian Italian",
];

export const operators = {
  inquiry: ["sam@example.org", "sofia@example.org", "stefan@example.org", "suki@example.org"],
  application: ["rana@example.org", "ruben@example.org", "rita@example.org", "rolf@example.org"],
} as const;

export const operatorNames = {
  "sam@example.org": "Sam Osei",
  "sofia@example.org": "Sofia Marino",
  "stefan@example.org": "Stefan Krüger",
  "suki@example.org": "Suki Tanaka",
  "rana@example.org": "Rana Haddad",
  "ruben@example.org": "Ruben Costa",
  "rita@example.org": "Rita Nowak",
  "rolf@example.org": "Rolf Berg",
} as const;

export const sources = ["footer", "blog", "pricing", "conference", "unknown"];

export const inquiryLetters = [
  "We are building a voice assistant and need about 40 hours of spontaneous speech. Could you send a sample?",
  "Do the recordings come with word-level transcripts, and may we use them for commercial models?",
  "We evaluated another provider and missed the regional accents. What would 20 speakers more cost?",
  "Our study begins in spring. Is there a price for universities, and how long does delivery take?",
  "Please tell us which of these have consent for speech synthesis, not only for recognition.",
];

export const budgets = ["below 5,000 EUR", "5,000 to 20,000 EUR", "more than 20,000 EUR"];

/** Where visitors come from, as a link says it in `utm_source`. */
export const campaigns = ["linkedin", "newsletter", "conference", "search"];

export const tags = {
  inquiry: ["hot", "university", "needs sample", "returning"],
  application: ["native speaker", "own studio", "phonetician"],
} as const;

export const replies = {
  inquiry: [
    "Thank you for your inquiry. Which sampling rate do you need?",
    "Yes, all of them come with transcripts. I will send a sample and our price list tomorrow.",
    "We can record 20 speakers more within six weeks. May I call you on Thursday?",
  ],
  application: [
    "Thank you for applying. Could you record the text on our page, so that we can hear your accent?",
    "We would like to talk to you. Which day suits you next week?",
  ],
} as const;

/** What persons write back. */
export const answers = {
  inquiry: [
    "Thank you, that was quick. 48 kHz would be best, in WAV files.",
    "Thursday at ten suits me. My number is +44 20 7946 0018.",
    "The sample sounds very good. Could you send the licence terms, too?",
    "Our budget was cut, so that we can only take half of it. Is that possible?",
  ],
  application: [
    "Here is my recording. Please tell me if the room is too loud.",
    "Tuesday or Wednesday afternoon would be fine. I look forward to it!",
    "May I send the recording on Monday? My booth is being repaired.",
  ],
} as const;

/** What operators answer to that. */
export const furtherReplies = ["Yes, of course. You will hear from us this week.", "Thank you, we have noted it."];

/** Mails that fit no submission: who wrote them, how many hours ago, and what. */
export const unmatched = [
  {
    hours: 3,
    from: ["Clara Dubois", "clara.dubois@studio.example"],
    subject: "Licences for broadcasting",
    text: "Hello,\n\na colleague told me about your recordings. May they be used on the radio, and whom should I ask about prices?\n\nClara Dubois\nStudio Écho",
  },
  {
    hours: 20,
    from: ["Hugo Ferreira", "hugo.private@post.example"],
    subject: "Fwd: Your application",
    text: "I am answering from my private address, because my old one is closed at the end of the month. My recording is attached.\n\n> Could you record the text on our page?",
    reply:
      "I am answering from my private address, because my old one is closed at the end of the month. My recording is attached.",
    files: ["recording.wav", "Curriculum vitae.pdf"],
  },
  {
    hours: 31,
    from: ["Mail Delivery System", "mailer-daemon@mail.example.net"],
    subject: "Out of office: Re: Thank you",
    text: "I am away until Monday and read my mail then.",
    isAutomatic: true,
  },
  {
    hours: 75,
    from: ["佐藤 遥", "haruka.sato@voices.example"],
    subject: "録音の料金について",
    text: "お世話になっております。関西弁の録音について、料金表を送っていただけますか。\n\n佐藤",
  },
  {
    hours: 130,
    from: ["", "office@agency.example"],
    subject: "",
    text: "Do you need actors? We have 200 voices in twelve languages on our books.",
  },
] as const;

export const declineReasons = ["Accent already covered", "Recording too noisy", "Not available in time"];

export const savedAnswers = [
  {
    kind: "inquiry",
    title: "Price list",
    text: "Hello {name},\n\nthank you for your interest in:\n{packages}\n\nOur price list is on its way. Please quote {reference} when you write.",
  },
  {
    kind: "inquiry",
    title: "Sample on request",
    text: "Hello {name},\n\nwe are glad to send a sample of five minutes for each package:\n{packages}\n\nWhich format do you need?",
  },
  {
    kind: "application",
    title: "Invitation to a test recording",
    text: "Hello {name},\n\nthank you for applying as {position}. Could you record the text on our page and send us the file?",
  },
  {
    kind: "application",
    title: "Not this time",
    text: "Hello {name},\n\nthank you for applying as {position}. We have decided for another applicant this time, and wish you all the best.",
  },
] as const;

export const noteTexts = [
  "Called, will send a sample on Friday.",
  "Asked for prices of two more accents.",
  "Good sample, invite for a test recording.",
  "No answer yet, try again next week.",
];
