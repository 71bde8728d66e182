/** Shown by `--help`. */
export const HELP = `Puts a bridge before an MCP server: any client to any server, over stdio or HTTP, whatever revision each of them speaks.

  npm run bridge -- [options] URL                     a server at an address
  npm run bridge -- [options] -- COMMAND ARGS…        a server that is a program

Without --listen the bridge talks over stdin and stdout, for a client that starts it; with it, over HTTP.

Examples
  A server of the network for a client that only starts programs:
    npm run --silent bridge -- --login https://mcp.example.com/mcp
  A program as an HTTP server for this machine:
    npm run bridge -- --listen 127.0.0.1:3000 -- npx -y @modelcontextprotocol/server-everything
  With a secret that the server needs, from a file:
    npm run bridge -- --listen 127.0.0.1:3000 --env GITHUB_TOKEN=@/run/secrets/github -- github-mcp-server stdio
  For others, behind a proxy with TLS that passes https://mcp.example.com/mcp on to port 3000:
    npm run bridge -- --listen 127.0.0.1:3000/mcp --issuer https://login.example.com \\
      --audience https://mcp.example.com/mcp -- node server.mjs

The side of the clients
  --stdio                       over stdin and stdout, also where stdin is a terminal
  --listen HOST:PORT[/PATH]     over HTTP; PATH is /mcp when absent, port 0 is a free one
  --sse                         also HTTP+SSE, the older transport, at /sse and /messages
  --allow-host HOST             a name under which clients reach it; may be repeated. That of --audience is allowed
  --allow-origin ORIGIN         web pages that may call it; may be repeated

Who may call (needed for any HOST but a loopback one; without it all callers are one)
  --issuer URL --audience URL   tokens that this authorization server signed for this address
  --scope NAME                  a scope that every token needs; may be repeated
  --introspection URL           asks the issuer about opaque tokens, with
    --introspection-client ID   the name of this bridge there and
    --introspection-secret @FILE  its secret
  --token-file FILE             lines "NAME TOKEN": callers that bring one of these tokens

A server at an address
  --header NAME=@FILE           a header of every request: from a file, from a variable (NAME=env:VARIABLE), or
                                NAME=VALUE where it is no secret. May be repeated
  --login                       logs in with OAuth when the server asks for it, once for all callers
  --credentials FILE            where the login is kept

A server that is a program: one process for each caller
  --env NAME                    hands a variable on; NAME=@FILE, NAME=env:OTHER or NAME=VALUE sets one. May be repeated
  --cwd FOLDER                  where it is started
  --max-children N              most processes (32)
  --max-children-per-caller N   most processes of one authenticated caller (8)
  --wait-seconds N              how long a caller waits for a process (10)

The bridge
  --stateless                   the server remembers nothing of its callers: they may share connections and processes
  --concurrency own|wait        a call that may ask its user something gets a process of its own, or waits for the others (own)
  --questions rounds|tasks      how a client without a session is asked: by rounds, or in a task where it has tasks (rounds)
  --park-seconds N              how long a question waits for its answer between two requests
  --max-parked N                most calls that wait so
  --max-rounds N                most rounds of questions in one call
  --store memory|sqlite:FILE|redis:URL    where sessions and waiting calls are kept (memory)
  --key-file FILE               keys of at least 32 bytes, one a line, that seal what clients carry; the first seals
  --record FILE                 writes what passes into a session file, without secrets
  --log quiet|normal|verbose    what is written to stderr (normal)

  -h, --help                    shows this
  --version                     shows the version

Secrets never stand on the command line. @FILE is a file with the secret and nothing else; env:NAME is a variable.
Exit codes: 0 ended normally, by its client or a signal; 1 failed; 2 the arguments are wrong.
`;
