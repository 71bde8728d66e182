/** A picture for a user interface. Load only `https:` and `data:` sources; see `isSafeIconSource` of the client. */
export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

/** The name and version of a client or server. Members that an older revision lacks are not sent to it. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}
