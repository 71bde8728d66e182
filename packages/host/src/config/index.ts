export { convertConfiguration, type Converted, type ConvertSource } from './convert/convert-configuration.ts';
export { ConfigResolveError, UntrustedConfigError } from './errors.ts';
export type { ConfigFile, FileLocation } from './files/config-file.ts';
export { fileLocations, type Surroundings } from './files/locations.ts';
export { mergeFiles, type Merged, type ShadowedEntry } from './files/merge.ts';
export {
  readConfiguration,
  type Configuration,
  type NamedFile,
  type ReadConfigurationOptions,
} from './files/read-configuration.ts';
export { detectFormat } from './formats/detect-format.ts';
export type {
  ConfigDocument,
  FileFormat,
  FileFormatId,
  FilePlace,
  Reading,
  SkippedEntry,
  Written,
} from './formats/format.ts';
export { FILE_FORMATS } from './formats/formats.ts';
export { contentDigest } from './formats/read-file.ts';
export type { FolderName } from './interpolation/dialects.ts';
export { parseEnvFile, type EnvFile } from './interpolation/env-file.ts';
export { resolveEntry } from './interpolation/resolve-entry.ts';
export type { ResolvedEntry, ResolveOptions, ValueSources, ValueUse } from './interpolation/sources.ts';
export { problemLine, type LostField, type Problem, type ProblemCode } from './problem.ts';
export { separateSecrets, type WrittenSecret } from './separate-secrets.ts';
export type {
  ConfigFormat,
  ConfigScope,
  HttpReach,
  InputDefinition,
  OAuthSettings,
  Origin,
  Reach,
  ServerEntry,
  ServerTemplate,
  StdioReach,
  TransportReach,
} from './server-entry.ts';
export { describeEntry, type EntryDescription, type FieldDescription } from './show/describe-entry.ts';
export { describeTarget, type TargetDescription } from './show/describe-target.ts';
export { bundleServer, registryServer } from './template-servers.ts';
export { TrustBook, type TrustBookOptions, type TrustRecord } from './trust/trust-book.ts';
export type { EntryChange, TrustReader, TrustState } from './trust/trust-reader.ts';
// Bundles, documents of the registry, and inputs.
export {
  entryOfBundle,
  bundleInputs,
  bundleReach,
  type BundleEntry,
  type BundleReachOptions,
} from './bundles/bundle-entry.ts';
export { BundleError, type BundleFault } from './bundles/bundle-error.ts';
export type { BundleLimits } from './bundles/bundle-limits.ts';
export { compatibilityProblems, type Machine } from './bundles/compatibility.ts';
export type { BundleCommand, BundleManifest, BundleOption, ReadManifest } from './bundles/manifest.ts';
export { readBundle, type Bundle } from './bundles/read-bundle.ts';
export { unpackBundle, type UnpackedBundle } from './bundles/unpack-bundle.ts';
export { userFolders, type UserFolders } from './bundles/variables.ts';
export { type DocumentProblem } from './document-problem.ts';
export { InputError, type InputFault } from './inputs/input-error.ts';
export { InputValues, type InputValuesOptions, type KeptInput } from './inputs/input-values.ts';
export { entriesOfServerJson, type ServerJsonOptions } from './registry/read-server-json.ts';
export type {
  ArgumentGroup,
  Launch,
  RegistryBundle,
  RegistryEntry,
  RegistryReading,
} from './registry/registry-entry.ts';
export {
  checkedDownload,
  registryLaunch,
  registryReach,
  RegistryError,
  type RegistryFault,
} from './registry/registry-reach.ts';
