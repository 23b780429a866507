// The parts of an OpenAPI 3.1 document that this service writes, as types.

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly [keyword: string]: unknown;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

type Content = Readonly<Record<string, MediaType>>;

export type Reference = { readonly $ref: string };

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly [];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  /** By status. */
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Parameter extends Header {
  readonly name: string;
  readonly in: "header";
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}
