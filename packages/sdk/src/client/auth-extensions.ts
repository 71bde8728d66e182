export {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StaticPrivateKeyJwtProvider,
  createPrivateKeyJwtAuth,
  type ClientCredentialsProviderOptions,
  type PrivateKeyJwtProviderOptions,
  type StaticPrivateKeyJwtProviderOptions,
} from 'crosspoint/auth';
