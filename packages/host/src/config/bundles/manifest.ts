import type { JsonObject } from '../../values/json.ts';

/** `server.mcp_config` of a manifest: how the server is started. Texts hold their `${…}`. */
export interface BundleCommand {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** One member of `user_config`. */
export interface BundleOption {
  readonly type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  readonly title: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: string | number | boolean | readonly string[];
  readonly multiple?: boolean;
  readonly sensitive?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** `manifest.json` of a bundle, versions 0.1 to 0.4. Members that are not here are kept as they were read. */
export interface BundleManifest {
  readonly manifest_version?: string;
  /** The older name of `manifest_version`. */
  readonly dxt_version?: string;
  readonly name: string;
  readonly display_name?: string;
  readonly version: string;
  readonly description: string;
  readonly author: { readonly name: string; readonly email?: string; readonly url?: string };
  readonly server: {
    readonly type: 'node' | 'python' | 'binary' | 'uv';
    readonly entry_point: string;
    /** Absent only for `uv`, which the host starts by itself. */
    readonly mcp_config?: BundleCommand & {
      readonly platform_overrides?: Readonly<Record<string, Partial<BundleCommand>>>;
    };
  };
  readonly compatibility?: {
    readonly platforms?: readonly string[];
    readonly runtimes?: { readonly node?: string; readonly python?: string };
  };
  readonly user_config?: Readonly<Record<string, BundleOption>>;
}

/** A manifest with every member that it was read with. */
export type ReadManifest = BundleManifest & JsonObject;
