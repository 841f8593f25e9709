# Expands test/ops.list: a line per run, the launch file first. more: how often each line of random shapes counts (1);
# seed: of those shapes; wide: also the lines of `!`, which are for sweeps by hand; least: shapes that each launch file, with
# its settings, must have. The same numbers from every awk.
function next_random(n) { state = state * 16807 % 2147483647; return int(state / 2147483647 * n) }

# lo..hi: each power of two from lo on is as likely as the others; one in three stands at an edge of a block, repeat or tile
function pick(lo, hi,    n, low, unit, v) {
	if (lo >= hi)
		return hi
	if (lo == 0 && next_random(5) == 0)
		return 0
	low = lo > 0 ? lo : 1
	for (n = 0; low * 2 ^ n <= hi; n++)
		;
	low *= 2 ^ next_random(n)
	n = low * 2 - 1 < hi ? low * 2 - 1 : hi
	v = low + next_random(n - low + 1)
	if (next_random(3) == 0) {
		unit = 8 * 2 ^ next_random(5)
		v = int(v / unit + 0.5) * unit + next_random(3) - 1
	}
	return v < lo ? lo : v > hi ? hi : v
}

# a number, or an earlier name, or name+number, name-number, name*number
function value(text,    part, op) {
	if (text ~ /^[0-9]+$/)
		return text + 0
	op = match(text, /[-+*]/) ? substr(text, RSTART, 1) : ""
	split(text, part, /[-+*]/)
	if (!(part[1] in got)) {
		print "ops.list: no name " part[1] " before: " text > "/dev/stderr"
		exit 2
	}
	return op == "+" ? got[part[1]] + part[2] : op == "-" ? got[part[1]] - part[2] : op == "*" ? got[part[1]] * part[2] : got[text]
}

# name=value, name=lo..hi, name=lo..hi*unit
function setting(text,    eq, range, end, unit) {
	eq = index(text, "=")
	range = substr(text, eq + 1)
	if (split(range, end, /\.\./) == 2) {
		unit = end[2] ~ /^[0-9]+\*[0-9]+$/ ? substr(end[2], index(end[2], "*") + 1) : 1
		sub(/^[0-9]+\*.*/, substr(end[2], 1, index(end[2], "*") - 1), end[2])
		range = pick(value(end[1]), value(end[2])) * unit
	} else if (range ~ /^[a-z_A-Z]+([-+*][0-9]+)?$/ && substr(text, 1, eq) != "blocks=" && (range in got || range ~ /[-+*]/))
		range = value(range)
	got[substr(text, 1, eq - 1)] = range
	return substr(text, 1, eq) range
}

# few blocks, so that each has several tiles at small shapes; now and then all cores
function blocks() { return substr("1235380", 1 + next_random(7), 1) }

function run(launch, first,    i, line) {
	split("", got)
	line = launch
	gsub(/,/, " ", line)
	for (i = first; i <= NF; i++)
		line = line " " setting($i)
	if (line in seen)
		return 0
	seen[line] = 1
	n_shape[launch]++
	print line (line ~ / blocks=/ ? "" : " blocks=" blocks())
	return 1
}

BEGIN { state = seed > 0 ? seed : 1 }
/^#/ || NF == 0 { next }
/^[^\t]/ { n_launch = split($0, launches, " "); next }
$1 == "?" || $1 == "!" {
	for (i = 1; i <= n_launch && ($1 == "?" || wide); i++) {
		made = 0
		for (t = 0; t < $2 * more * 4 && made < $2 * more; t++)
			made += run(launches[i], 3)
	}
	next
}
{ for (i = 1; i <= n_launch; i++) run(launches[i], 1) }
END {
	for (launch in n_shape)
		if (n_shape[launch] < least) {
			print "ops.list: " launch " has " n_shape[launch] " shapes, " least " are asked for" > "/dev/stderr"
			exit 1
		}
}
