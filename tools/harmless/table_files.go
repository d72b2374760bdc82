package harmless

func fileEntries() []Entry {
	read := func(name, opts string) Entry {
		return Entry{Name: name, Means: "reads files of this workspace", options: options(opts), operands: files}
	}
	list := func(name, opts string) Entry {
		return Entry{Name: name, Means: "lists files of this workspace", options: options(opts), operands: files}
	}
	return []Entry{
		{Name: "find", Means: "lists files of this workspace", style: predicates},
		{Name: "grep", Means: "searches files of this workspace that are named", operands: pattern, // not folders: what holds secrets is found there
			options: options("-n -i -l -L -c -w -v -x -o -E -F -P -G -H -h -I -a -q -s -z -T -Z -0 -A# -B# -C# -m# -e= --regexp= --line-number " +
				"--ignore-case --files-with-matches --count --word-regexp --invert-match --only-matching --fixed-strings --no-messages --quiet " +
				"--max-count= --after-context= --before-context= --context= --with-filename --no-filename --extended-regexp --perl-regexp " +
				"--basic-regexp --line-regexp --no-ignore-case --text --null --binary-files= --color[=] --colour[=]")},
		list("ls", "-l -a -A -h -t -r -R -S -X -U -1 -d -F -p -i -s -G -g -o -n -k -m -x -C -c -u -Q -q --all --almost-all --human-readable "+
			"--recursive --reverse --directory --classify --inode --size --color[=] --sort= --time= --time-style= --full-time --group-directories-first --no-group"),
		list("tree", "-a -d -f -i -s -h -D -t -r -C -n -L# -I_ -P_ --noreport --dirsfirst --gitignore --prune --du --filelimit="),
		list("du", "-s -h -a -c -k -m -b -x -d# --summarize --human-readable --all --total --max-depth= --apparent-size --exclude="),
		list("stat", "-c= --format= --printf= -t --terse"),
		list("file", "-b -i -h --brief --mime --mime-type"),
		list("realpath", "-e -m -q -s -z --canonicalize-existing --canonicalize-missing"),
		list("readlink", "-f -e -m -n -q -z"),
		read("cat", "-n -A -b -s -e -t -v -E -T --number --show-all --number-nonblank --squeeze-blank"),
		read("tac", ""),
		read("rev", ""),
		read("head", "-n= -c= -q -v -0 --lines= --bytes= --quiet --verbose"),
		read("tail", "-n= -c= -q -v -0 --lines= --bytes= --quiet --verbose"),
		read("wc", "-l -w -c -m -L --lines --words --bytes --chars --max-line-length"),
		read("cmp", "-s -l -b"),
		read("comm", "-1 -2 -3 -12 -13 -23"),
		read("md5sum", "-b -t"), read("sha1sum", "-b -t"), read("sha256sum", "-b -t"), read("sha512sum", "-b -t"),
		{Name: "df", Means: "says how full disks are", options: options("-h -k -m -T -i")},
	}
}

func textEntries() []Entry {
	shape := func(name, opts string, o operands) Entry {
		return Entry{Name: name, Means: "shapes text", options: options(opts), operands: o}
	}
	says := func(name, opts string, o operands) Entry {
		return Entry{Name: name, Means: "only prints", options: options(opts), operands: o}
	}
	uniq := shape("uniq", "-c -d -u -i -z -D -f# -s# -w# --count --repeated --unique --ignore-case", files)
	uniq.most = 1 // a second one is written
	return []Entry{
		shape("sort", "-n -r -u -f -b -d -g -h -V -s -R -i -M -z -c -C -k= -t= --numeric-sort --reverse --unique --ignore-case --key= "+
			"--field-separator= --human-numeric-sort --version-sort --stable --general-numeric-sort --month-sort --ignore-leading-blanks", files),
		uniq,
		shape("cut", "-d= -f= -c= -b= -s --delimiter= --fields= --characters= --complement --output-delimiter= --only-delimited", files),
		shape("nl", "-b= -w# -s= -n=", files),
		shape("fold", "-w# -s", files),
		shape("tr", "-d -s -c -C -t --delete --squeeze-repeats --complement", words),
		{Name: "echo", Means: "only prints", style: none},
		{Name: "true", Means: "does nothing", style: none},
		{Name: "false", Means: "does nothing", style: none},
		says("pwd", "-P -L", nothing),
		says("whoami", "", nothing),
		says("nproc", "--all", nothing),
		says("uname", "-a -s -r -m -n -o -v -p --all", nothing),
		says("date", "-u -I --utc --iso-8601[=]", format),
		says("which", "-a", words),
		says("type", "-a -t -p", words),
		says("basename", "-a -s= -z --suffix=", words),
		says("dirname", "-z", words),
		says("seq", "-w -s= -f=", words),
		says("sleep", "", words),
	}
}
