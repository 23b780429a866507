// Operators and tokens as rows. Quoted names keep their case on both engines.

/** The columns of a `StoredOperator`. */
export const operatorColumns = "operator.id, operator.email, operator.role, operator.password";

/** The columns of an `OperatorRow`. */
export const listedOperatorColumns = `email, role, created_at AS "createdAt",
  CASE WHEN password IS NULL AND oidc_issuer IS NULL THEN 'invited' ELSE 'active' END AS state`;

/** The columns of a `TokenRow`. */
export const tokenColumns = `id, name, role, created_at AS "createdAt", expires_at AS "expiresAt", used_at AS "usedAt"`;
