/**
 * Lua scripts for changes that must be atomic. A record is a hash (`v` its JSON, `n` its version). Its key is in a sorted set by name, which lists
 * keys in order, and in another by expiry, from which expired keys are taken out of both.
 */
const NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`;

/** KEYS: record, names, ends. ARGV[1]: key. ARGV[2]: life in milliseconds, or empty. */
const LIVE = `
${NOW}
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 20)) do
  redis.call('ZREM', KEYS[2], gone) redis.call('ZREM', KEYS[3], gone)
end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if ARGV[2] == '' then redis.call('PERSIST', KEYS[1]) redis.call('ZREM', KEYS[3], ARGV[1])
else redis.call('PEXPIRE', KEYS[1], ARGV[2]) redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[1]) end`;

/** ARGV: key, life, value, version, condition (`any`, `new` or `is`), expected version. 1 when it was written. */
export const PUT: string = `
local current = redis.call('HGET', KEYS[1], 'n')
if ARGV[5] == 'new' and current then return 0 end
if ARGV[5] == 'is' and current ~= ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], 'v', ARGV[3], 'n', ARGV[4])
${LIVE}
return 1`;

/** ARGV: key, life. */
export const TOUCH: string = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
${LIVE}
return 1`;

/** ARGV: key, expected version or empty. */
export const DELETE: string = `
local current = redis.call('HGET', KEYS[1], 'n')
if not current or (ARGV[2] ~= '' and current ~= ARGV[2]) then return 0 end
redis.call('DEL', KEYS[1]) redis.call('ZREM', KEYS[2], ARGV[1]) redis.call('ZREM', KEYS[3], ARGV[1])
return 1`;

/** ARGV: key, life of a new record, amount, version. Returns the sum, or false when the record holds no number. */
export const ADD: string = `
local current = redis.call('HGET', KEYS[1], 'v')
local before = 0
if current then before = tonumber(current) end
if before == nil then return false end
local sum = string.format('%.17g', before + tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'v', sum, 'n', ARGV[4])
if current then return sum end
${LIVE}
return sum`;

/** KEYS: names, ends. ARGV: from, to, most (or -1). */
export const LIST: string = `
${NOW}
local found, from = {}, ARGV[1]
local most = tonumber(ARGV[3])
while true do
  local page = redis.call('ZRANGEBYLEX', KEYS[1], from, ARGV[2], 'LIMIT', 0, 1000)
  for _, key in ipairs(page) do
    local ends = redis.call('ZSCORE', KEYS[2], key)
    if not ends or tonumber(ends) > now then found[#found + 1] = key end
    if #found == most then return found end
  end
  if #page < 1000 then return found end
  from = '(' .. page[#page]
end`;

/** KEYS: names, ends. ARGV: from, to. */
export const COUNT: string = `
${NOW}
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)) do
  redis.call('ZREM', KEYS[1], gone) redis.call('ZREM', KEYS[2], gone)
end
return redis.call('ZLEXCOUNT', KEYS[1], ARGV[1], ARGV[2])`;

/** KEYS: stream. ARGV: value, life or empty, most entries or empty. Returns the position. */
export const APPEND: string = `
local id
if ARGV[3] == '' then id = redis.call('XADD', KEYS[1], '*', 'v', ARGV[1])
else id = redis.call('XADD', KEYS[1], 'MAXLEN', '=', ARGV[3], '*', 'v', ARGV[1]) end
if ARGV[2] == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return id`;

/** KEYS: stream. Empties the stream and deletes it 5 seconds later: an entry written in between must not get a position that was used before. */
export const CLEAR: string = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('XTRIM', KEYS[1], 'MAXLEN', '=', 0)
redis.call('PEXPIRE', KEYS[1], 5000)
return 1`;
