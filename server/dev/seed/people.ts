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
  en-GB-scottish en-IE en-US-southern de-AT de-CH pt-BR-recife es-MX fr-CA it-sicilian sv-FI pl-PL tr-TR ar-EG hi-IN
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

export const noteTexts = [
  "Called, will send a sample on Friday.",
  "Asked for prices of two more accents.",
  "Good sample, invite for a test recording.",
  "No answer yet, try again next week.",
];
