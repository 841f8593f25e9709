# bash completion of vinci(1)
_vinci()
{
	local cur prev command i
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	command=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "run check report diff tune trace view cc objdump chips --help --version" -- "$cur"))
		return
	fi
	case $prev in
	--chip | chips)
		COMPREPLY=($(compgen -W "$(vinci chips 2>/dev/null | awk '{ print $1 }')" -- "$cur"))
		return ;;
	--core) COMPREPLY=($(compgen -W "cube vector mix" -- "$cur")); return ;;
	--time-unit) COMPREPLY=($(compgen -W "us cycles" -- "$cur")); return ;;
	--check) COMPREPLY=($(compgen -W "mem init race sync oversync all none" -- "$cur")); return ;;
	--what-if)
		COMPREPLY=($(compgen -W "hbm=2x hbm=ideal l2=2x l2=ideal mte1=ideal mte2=ideal mte3=ideal m=ideal v=ideal fix=ideal s=ideal no-bank-conflicts barriers=off buffers=+1 queue=64 launch=ideal sync=ideal icache=ideal dcache=ideal" -- "$cur"))
		return ;;
	esac
	case $command:$cur in
	run:-* | check:-* | report:-*)
		COMPREPLY=($(compgen -W "--all --blocks --bounds --buffers --check --chip --core --disassembly --entry --golden --help --in --inout --json --keep-going --max-cycles --no-check --order-fuzz --out --quiet --result --roofline --scalar --seed --set --set-chip --source --tiling --timing-only --trace --what-if --workspace" -- "$cur")) ;;
	diff:-*) COMPREPLY=($(compgen -W "--fail-if-slower --help --json --top" -- "$cur")) ;;
	tune:-*) COMPREPLY=($(compgen -W "--axes --budget --csv --help --jobs --json --png --quiet --results --search --seed --set --shape --top" -- "$cur")) ;;
	trace:-*)
		COMPREPLY=($(compgen -W "--chrome --core --csv --from --help --kanata --perfetto --summary --time-unit --to --vendor" -- "$cur")) ;;
	cc:-*) COMPREPLY=($(compgen -W "-o -I --chip --core --help" -- "$cur")) ;;
	objdump:-*) COMPREPLY=($(compgen -W "-l --help" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -o nospace -F _vinci vinci
