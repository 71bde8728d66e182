/** A picture for a user interface. Only `https:` and `data:` sources are to be loaded; see `isSafeIconSource` of the client. */
export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

/** Who a client or server is. What an older revision has no words for is not sent to it. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}
