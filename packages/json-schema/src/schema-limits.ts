/** Limits on the cost of a schema and of one validation with it. Schemas come from peers, so every limit is on by default. */
export interface SchemaLimits {
  /** Subschemas in one compilation, referenced documents included. */
  readonly maxNodes: number;
  /** Nesting of subschemas within a document. */
  readonly maxSchemaDepth: number;
  /** Nesting of subschema evaluations during one validation; bounds the depth of the instance too. */
  readonly maxDepth: number;
  /** Units of work in one validation: roughly one per subschema applied, member visited and pattern state stepped. */
  readonly maxSteps: number;
  /** Issues reported for one instance. */
  readonly maxIssues: number;
}

export const defaultLimits: SchemaLimits = {
  maxNodes: 50_000,
  maxSchemaDepth: 256,
  maxDepth: 1_000,
  maxSteps: 5_000_000,
  maxIssues: 10,
};
