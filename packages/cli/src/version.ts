/** The version of this package; a test holds it against the manifest. */
export const VERSION = '0.2.0';
