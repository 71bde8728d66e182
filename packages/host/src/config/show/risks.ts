import { visibleLine } from '../../values/visible-text.ts';
import type { HttpReach, StdioReach } from '../server-entry.ts';
import { unpinnedPackage } from './package-runners.ts';

const PROGRAM = /^(?:.*[/\\])?([^/\\]+?)(?:\.(?:exe|cmd|bat|ps1))?$/i;
const ADMINISTRATOR = ['sudo', 'doas', 'su', 'runas', 'pkexec', 'gsudo'];
const DELETING = ['rm', 'rmdir', 'del', 'rd', 'shred', 'dd', 'mkfs', 'format'];
const SHELLS = ['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh', 'osascript'];
const SHELL_FLAG = /^(?:-[a-z]*c|\/[ck]|-command|-encodedcommand|-enc|-e)$/i;
const CONTAINERS = ['docker', 'podman', 'nerdctl'];
const CONTAINER_RISK =
  /^--privileged(?:=true)?$|^--(?:net|network|pid|ipc|userns)=host$|^--cap-add|^\/:|=\/:|docker\.sock/;
const HOST_NAMESPACE = /^--(?:net|network|pid|ipc|userns)$/;
const INLINE: Readonly<Record<string, RegExp>> = {
  node: /^(?:-e|-p|-pe|--eval|--print|--eval=.*|--print=.*|--import=data:.*|data:.*)$/,
  bun: /^(?:-e|--eval|-p|--print)$/,
  deno: /^eval$/,
  python: /^-c$/,
  python3: /^-c$/,
  perl: /^-[a-z]*e$/i,
  ruby: /^-e$/,
  php: /^-r$/,
};
const DOWNLOAD = /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b/i;
const RUN = /^\s*(?:sudo\s+)?(?:(?:ba|z|da|k|fi|c)?sh|pwsh|python\d?|node|perl|ruby|iex|invoke-expression)\b/i;
const DOWNLOAD_IN_PLACE = /(?:\$\(|`)\s{0,9}(?:curl|wget)\b|\biex\b/i;
const SECRET_PATH =
  /(?:^|[/\\=:~])\.(?:ssh|aws|azure|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|config[/\\]gcloud)(?:[/\\:]|$)|\/etc\/(?:passwd|shadow|sudoers|ssh)|id_(?:rsa|ed25519|ecdsa)\b|Library\/Keychains/;
const WHOLE =
  /^(?:--?[\w-]+=)?(?:\/|~\/?|\$HOME\/?|\$\{(?:HOME|userHome|env:HOME|env:USERPROFILE)\}\/?|\/home\/?|\/Users\/?|\/root\/?|\/(?:home|Users)\/[^/]+\/?|[A-Za-z]:[\\/]?|[A-Za-z]:\\Users(?:\\[^\\]+)?\\?|%USERPROFILE%)$/;
const LOADER =
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_TLS_REJECT_UNAUTHORIZED|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_.*|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BASH_ENV|ENV|PROMPT_COMMAND|PATH|PATHEXT|GIT_SSH_COMMAND|GIT_EXEC_PATH|HTTPS?_PROXY|ALL_PROXY|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS)$/i;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/u;
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;
const METADATA = /^(?:169\.254\.\d+\.\d+|\[fd00:ec2::254\]|metadata\.google\.internal)$/;

/** The risks of starting a program, one sentence each. `reach` is as people see it. */
export function commandRisks(reach: StdioReach): string[] {
  const words = [reach.command, ...(reach.args ?? [])];
  const programs = words.map((word) => PROGRAM.exec(word)?.[1]?.toLowerCase() ?? word);
  const named = words.map((word, at) => (at === 0 || !/[/\\]/.test(word) ? (programs[at] ?? word) : word));
  const unpinned = unpinnedPackage(named.map((word, at) => (at === 0 ? word : (words[at] ?? word))));
  return [
    ...shellRisks(words, programs),
    ...containerRisks(words, programs),
    ...(unpinned === undefined
      ? []
      : [`Fetches the package ${visibleLine(unpinned)} in whatever version there is at each start: name a version.`]),
    ...(/^\.{1,2}[/\\]/.test(reach.command) ? ['Runs a program of the folder it is started in.'] : []),
    ...pathRisks([...words.slice(1), ...(reach.cwd === undefined ? [] : [reach.cwd])]),
    ...environmentRisks(reach.env ?? {}),
    ...(words.some((word) => UNSEEN.test(word)) ? ['Holds characters that are not seen, shown as their codes.'] : []),
  ];
}

function shellRisks(words: readonly string[], programs: readonly string[]): string[] {
  const scripts = words.filter((word) => word.includes(' '));
  const isNamed = (names: readonly string[]): boolean =>
    programs.some((program) => names.includes(program)) ||
    scripts.some((script) => script.split(/[\s;&|()]+/).some((word) => names.includes(word)));
  const shell = programs.findIndex((program) => SHELLS.includes(program));
  const isScript = shell !== -1 && words.slice(shell + 1).some((word) => SHELL_FLAG.test(word));
  const inline = Object.entries(INLINE).some(([program, flags]) => {
    const at = programs.indexOf(program);
    return at !== -1 && words.slice(at + 1).some((word) => flags.test(word));
  });
  return [
    ...(isNamed(ADMINISTRATOR) ? ['Runs with the rights of an administrator or another user.'] : []),
    ...(isNamed(DELETING) ? ['Runs a program that deletes or overwrites files.'] : []),
    ...(isScript ? ['Runs a command line in a shell, which can do anything you can.'] : []),
    ...(inline ? ['Runs code that stands in its arguments.'] : []),
    ...(words.some(downloadsAndRuns) ? ['Downloads a program and runs it unseen.'] : []),
  ];
}

/** Whether a script pipes a download into a program that runs it. */
function downloadsAndRuns(script: string): boolean {
  const steps = script.split('|');
  return (
    DOWNLOAD_IN_PLACE.test(script) ||
    steps.some((step, at) => DOWNLOAD.test(step) && steps.slice(at + 1, at + 9).some((next) => RUN.test(next)))
  );
}

function containerRisks(words: readonly string[], programs: readonly string[]): string[] {
  if (!programs.some((program) => CONTAINERS.includes(program))) return [];
  const isOpen = words.some(
    (word, at) => CONTAINER_RISK.test(word) || (HOST_NAMESPACE.test(word) && words[at + 1] === 'host'),
  );
  return isOpen ? ['Starts a container that is given rights over this machine.'] : [];
}

function pathRisks(words: readonly string[]): string[] {
  const secret = words.find((word) => SECRET_PATH.test(word));
  const whole = words.find((word) => WHOLE.test(word));
  return [
    ...(secret === undefined ? [] : [`Is given a path where secrets are kept: ${visibleLine(secret)}.`]),
    ...(whole === undefined ? [] : [`Is given a whole home folder or disk: ${visibleLine(whole)}.`]),
  ];
}

function environmentRisks(env: Readonly<Record<string, string | null>>): string[] {
  const loaders = Object.keys(env).filter((name) => LOADER.test(name));
  const paths = pathRisks(Object.values(env).filter((value) => value !== null && SECRET_PATH.test(value)) as string[]);
  if (loaders.length === 0) return paths;
  return [
    `Sets ${loaders.map(visibleLine).join(', ')}, which can make programs load other code or trust other servers.`,
    ...paths,
  ];
}

/** The risks of connecting to an address, one sentence each. */
export function addressRisks({ url, headers = {} }: HttpReach): string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, hostname, username, password, searchParams } = new URL(url);
  const isPlain = protocol === 'http:' && !LOOPBACK.test(hostname);
  const isHidden = [...searchParams.values()].some((value) => value.includes('‹hidden›'));
  return [
    ...(isPlain
      ? [`Is reached without encryption: everybody on the way to ${hostname} can read and change what is sent.`]
      : []),
    ...(isPlain && Object.keys(headers).length > 0 ? ['Sends its headers without encryption.'] : []),
    ...(username !== '' || password !== '' || isHidden
      ? ['Has a credential in its address, where logs keep it: use a header.']
      : []),
    ...(hostname.split('.').some((label) => label.startsWith('xn--'))
      ? [`Has a host name with letters that may look like others: ${hostname}.`]
      : []),
    ...(METADATA.test(hostname) ? ['Is an address that gives out the credentials of a machine in a cloud.'] : []),
    ...(UNSEEN.test(url) ? ['Holds characters that are not seen, shown as their codes.'] : []),
  ];
}
