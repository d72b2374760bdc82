package harmless

// Options that several commands of git share. --output, --ext-diff, --textconv, -O and all that names a program, a file
// to write or a server are not among them.
const (
	gitColour = "--color[=] --no-color --no-ext-diff --no-textconv -z "
	gitDiff   = gitColour + "-p -u -s --patch --no-patch --stat[=] --shortstat --numstat --summary --compact-summary --dirstat[=] --raw --name-only " +
		"--name-status --check -U# --unified[=] -w -b -W --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-cr-at-eol " +
		"--function-context --word-diff[=] --color-words[=] --diff-filter= --minimal --patience --histogram --full-index --abbrev[=] " +
		"-M -C -R --find-renames[=] --find-copies[=] --no-renames -S= -G= --pickaxe-all --pickaxe-regex --exit-code --relative[=] --no-prefix " +
		"--text -a --inter-hunk-context= "
	gitWalk = "-n# -0 --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= -i -E -F " +
		"--all --branches[=] --tags[=] --remotes[=] --merges --no-merges --first-parent --reverse --topo-order --date-order --author-date-order " +
		"--left-right --cherry --cherry-mark --cherry-pick --boundary --count "
	gitLog = gitDiff + gitWalk + "--oneline --graph --decorate[=] --no-decorate --abbrev-commit --no-abbrev-commit --follow --date= " +
		"--format[=] --pretty[=] --full-history --simplify-by-decoration --show-pulls -m -c --cc "
)

func gitEntries() []Entry {
	read := func(name, opts string, o operands) Entry {
		return Entry{Name: "git " + name, Means: "reads the repository", TopOnly: true, options: options(opts), operands: o}
	}
	return []Entry{
		read("status", "-s -b -v -z --short --branch --porcelain[=] --long --show-stash --ahead-behind --no-ahead-behind --no-renames "+
			"-uno -unormal -uall --untracked-files[=] --ignored[=]", revisions),
		read("log", gitLog, revisions),
		read("show", gitLog, revisions),
		read("diff", gitDiff+"--cached --staged --merge-base --quiet", revisions),
		read("shortlog", gitWalk+"-s -n -e --summary --numbered --email", revisions),
		read("rev-list", gitWalk+"--oneline", revisions),
		read("grep", "-n -i -l -L -c -w -v -E -F -P -G -h -H -W -p -q -o -r -0 -e= -A# -B# -C# --line-number --ignore-case --files-with-matches "+
			"--name-only --count --word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --cached --untracked --heading "+
			"--break --show-function --function-context --max-depth= --and --or --not --all-match "+gitColour, search),
		read("blame", "-L= -w -M -C -e -l -s -t -f -n -p -c --porcelain --line-porcelain --since= --date= --abbrev[=] --show-email "+
			"--show-name --show-number --color-lines", revisions),
		read("branch", "-a -r -v -vv -i --all --remotes --verbose --list --show-current --no-color --color[=] --ignore-case --sort=", nothing),
		read("tag", "-l -n --list --sort= --no-color", nothing),
		read("remote", "-v --verbose", nothing),
		read("ls-files", "-c -m -d -o -s -u -t -z -v -x= --others --cached --modified --deleted --stage --unmerged --exclude-standard --full-name "+
			"--error-unmatch --eol --directory --ignored --exclude=", revisions),
		read("ls-tree", "-r -l -d -t -z --name-only --name-status --long --full-name --full-tree", revisions),
		read("cat-file", "-p -t -s -e", revisions),
		read("rev-parse", "--abbrev-ref[=] --short[=] --verify --quiet -q --show-toplevel --show-prefix --show-cdup --git-dir "+
			"--absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --symbolic --symbolic-full-name "+
			"--all --branches --tags --remotes", revisions),
		read("describe", "--tags --all --always --long --dirty[=] --abbrev[=] --exact-match --contains", revisions),
		read("merge-base", "--all -a --is-ancestor --fork-point --octopus", revisions),
		{Name: "git add", Means: "takes files into the next commit", TopOnly: true,
			options: options("-A -u -v -n -N --all --update --verbose --dry-run --intent-to-add"), operands: revisions},
		{Name: "git commit", Means: "commits to this repository; its hooks run", TopOnly: true, OwnCode: true,
			options: options("-m= --message= -a -q -v -s --all --quiet --verbose --signoff --no-edit --allow-empty --dry-run --short"), operands: revisions},
	}
}
