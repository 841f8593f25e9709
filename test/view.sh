#!/bin/sh
# The window as a person uses it: by scripts without a display at every size, and under Xvfb with keys and mouse - open,
# zoom, select, follow an arrow, search, step a live run, compare, screenshots. Nothing to do where SDL2 is missing.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD out=build/view-test bad=0
[ -x build/vinci-view ] || { echo "no SDL2 here: the window is not built"; exit 0; }
mkdir -p "$out"
fail() { echo "FAILED: $*"; bad=1; }
build/vinci run kernels/matmul --quiet --trace "$out/a.vtr" >/dev/null || fail "trace a"
build/vinci run kernels/matmul --quiet --set base_k=64 --trace "$out/b.vtr" >/dev/null || fail "trace b"

cat >"$out/trace.txt" <<END
expect matmul.c
expect Where the cycles of
expect last:
expect L2 bandwidth: the cores share
key l
expect waited
key /
text mad
key enter
expect mad
expect operands
key [
tab 2
expect hottest first
tab 3
expect live
tab 4
expect B/cycle
tab 5
expect MACs per cycle
key c
tab 1
wheel 800 600 -9
expect critical path spends
key ?
expect Keys and mouse
key esc
theme light
END
cat >"$out/live.txt" <<END
key o
expect cycle
to 6000
expect cycle 6 000
to flag MTE2 MTE1
expect stopped where asked
tab 8
expect L0A
key b
run
tab 7
expect ended
tab 1
expect last:
key b
tab 1
expect The report comes when the run has ended
END
for size in 1024x640 1280x720 1920x1080 3840x2160; do
	SDL_VIDEODRIVER=dummy build/vinci view "$out/a.vtr" --size $size --script "$out/trace.txt" --screenshot "$out/trace-$size.png" ||
		fail "trace at $size"
	build/vinci view "$out/a.vtr" "$out/b.vtr" --size $size --screenshot "$out/compare-$size.png" || fail "compare at $size"
done
build/vinci view kernels/matmul --script "$out/live.txt" --screenshot "$out/live.png" || fail "live"

# the table of a search: picture, ranking, what a rejected candidate lacks; then files that are no such table
build/vinci tune kernels/matmul --shape M=64,N=200,K=128 --search random --budget 8 --quiet --results "$out/tune.txt" --csv "$out/tune.csv" --json="$out/tune.json" \
	>/dev/null 2>&1 || fail "a table"
cat >"$out/tune.scr" <<END
expect Ranking
expect rank 1 of
key down
expect rank 2 of
key x
key n
END
for size in 1024x640 1280x720 1920x1080 3840x2160; do
	for kind in csv json; do
		build/vinci view "$out/tune.$kind" --size $size --script "$out/tune.scr" --screenshot "$out/tune-$kind-$size.png" ||
			fail "table .$kind at $size"
	done
done
head -c 300 "$out/tune.csv" >"$out/cut.csv"
head -c 300 "$out/tune.json" >"$out/cut.json"
echo '{ "schema": 1 }' >"$out/other.json"
for file in cut.csv cut.json other.json none.csv; do
	build/vinci view "$out/$file" --screenshot "$out/cut.png" 2>"$out/err"
	[ $? = 2 ] || fail "$file: exit status"
	grep -q "$file" "$out/err" || fail "$file: the message does not name it"
done

# files that are no traces: a message, exit status 2, no crash
head -c 3000 "$out/a.vtr" >"$out/cut.vtr"
printf 'PNG or what' >"$out/foreign.vtr"
build/vinci view "$out/cut.vtr" --screenshot "$out/cut.png" 2>"$out/err" || [ $? = 2 ] || fail "cut file"
grep -q . "$out/err" || fail "a cut file says nothing"
build/vinci view "$out/foreign.vtr" --screenshot "$out/foreign.png" 2>"$out/err"
[ $? = 2 ] || fail "foreign file: exit status"
grep -q "not a Vinci trace" "$out/err" || fail "a foreign file says nothing"
build/vinci view --script /dev/null/x 2>"$out/err"
[ $? = 2 ] || fail "missing script"

# a display
if command -v Xvfb >/dev/null && command -v xdotool >/dev/null; then
	n=90
	while [ -e /tmp/.X$n-lock ]; do n=$((n + 1)); done
	Xvfb :$n -screen 0 1300x760x24 -nolisten tcp >"$out/xvfb.log" 2>&1 &
	server=$!
	export DISPLAY=:$n
	i=0
	until xdotool getdisplaygeometry >/dev/null 2>&1 || [ $i -ge 100 ]; do i=$((i + 1)); sleep 0.1; done
	window() { # window NAME ARGS...: start, wait for it
		(cd "$out" && exec "$root/build/vinci-view" "$@") >"$out/window.log" 2>&1 &
		program=$!
		id=$(timeout 20 xdotool search --sync --onlyvisible --pid $program 2>/dev/null | head -n 1)
		[ -n "$id" ] || { fail "no window"; kill $program; return 1; }
		timeout 5 xdotool windowfocus --sync "$id" 2>/dev/null
		sleep 0.5
	}
	quit() { # quit WHAT: as a person does, again when a key was lost; never wait for ever
		i=0
		while kill -0 $program 2>/dev/null && [ $i -lt 20 ]; do
			[ $((i % 5)) = 0 ] && xdotool key ctrl+q
			i=$((i + 1))
			sleep 0.5
		done
		kill -0 $program 2>/dev/null && { fail "$1: does not quit"; kill $program; }
		wait $program || fail "$1: exit status"
	}
	shot() { # shot FILE WHAT: F12 writes a picture, sooner or later on a busy machine
		xdotool key F12
		i=0
		until [ -s "$out/$1" ] || [ $i -ge 100 ]; do i=$((i + 1)); sleep 0.1; done
		[ -s "$out/$1" ] || fail "F12 made no screenshot of $2"
	}
	rm -f "$out"/vinci-view-*.png
	if window a.vtr; then
		xdotool mousemove --window "$id" 700 300 key w key w key w key w
		xdotool click 4 click 4
		xdotool mousemove --window "$id" 760 310 click 1
		xdotool key bracketleft key slash type mad
		xdotool key Return key n key bracketright key c
		xdotool mousemove --window "$id" 500 300 mousedown 1 mousemove --window "$id" 800 300 mouseup 1
		shot vinci-view-001.png "a trace"
		quit "window on a trace"
	fi
	if window "$root/kernels/matmul"; then
		xdotool key o key o key y key b key o
		xdotool key space
		sleep 1
		shot vinci-view-002.png "the live run"
		quit "live window"
	fi
	if window a.vtr b.vtr; then
		xdotool key s key w key t
		quit "compare window"
	fi
	kill $server
	wait $server 2>/dev/null
else
	echo "no Xvfb or xdotool: the window itself was not tried"
fi
[ $bad = 0 ] && echo "the window: all sizes, live, compare, broken files"
exit $bad
