package harmless

// Options that several commands of git share. What prints contents of files is not among them, as a file that holds secrets
// could be committed: -p and all that brings a patch, --check, -L, and -S and -G, which tell what a file contains.
const (
	gitWalk = "-n# -0 --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= -i -E -F " +
		"--all --branches[=] --tags[=] --remotes[=] --merges --no-merges --first-parent --reverse --topo-order --date-order --author-date-order " +
		"--left-right --cherry --cherry-mark --cherry-pick --boundary --count "
	gitLog = gitWalk + "--color[=] --no-color -z -s --no-patch --stat[=] --shortstat --numstat --summary --compact-summary --dirstat[=] --raw --name-only " +
		"--name-status --diff-filter= --abbrev[=] -M --find-renames[=] --no-renames --relative[=] --oneline --graph --decorate[=] --no-decorate " +
		"--abbrev-commit --no-abbrev-commit --follow --date= --format[=] --pretty[=] --full-history --simplify-by-decoration --show-pulls "
)

func gitEntries() []Entry {
	read := func(name, opts string, o operands) Entry {
		return Entry{Name: "git " + name, Means: "reads the repository", TopOnly: true, options: options(opts), operands: o}
	}
	return []Entry{
		read("status", "-s -b -z --short --branch --porcelain[=] --long --show-stash --ahead-behind --no-ahead-behind --no-renames "+
			"-uno -unormal -uall --untracked-files[=] --ignored[=]", revisions),
		read("log", gitLog, revisions),
		read("shortlog", gitWalk+"-s -n -e --summary --numbered --email", revisions),
		read("rev-list", gitWalk+"--oneline", revisions),
		read("blame", "-L= -w -M -C -e -l -s -t -f -n -p -c --porcelain --line-porcelain --since= --date= --abbrev[=] --show-email "+
			"--show-name --show-number --color-lines", revisions),
		read("branch", "-a -r -v -vv -i --all --remotes --verbose --list --show-current --no-color --color[=] --ignore-case --sort=", nothing),
		read("tag", "-l -n --list --sort= --no-color", nothing),
		read("ls-files", "-c -m -d -o -s -u -t -z -v -x= --others --cached --modified --deleted --stage --unmerged --exclude-standard --full-name "+
			"--error-unmatch --eol --directory --ignored --exclude=", revisions),
		read("ls-tree", "-r -l -d -t -z --name-only --name-status --long --full-name --full-tree", revisions),
		read("rev-parse", "--abbrev-ref[=] --short[=] --verify --quiet -q --show-toplevel --show-prefix --show-cdup --git-dir "+
			"--absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --symbolic --symbolic-full-name "+
			"--all --branches --tags --remotes", revisions),
		read("describe", "--tags --all --always --long --dirty[=] --abbrev[=] --exact-match --contains", revisions),
		read("merge-base", "--all -a --is-ancestor --fork-point --octopus", revisions),
		{Name: "git add", Means: "takes files into the next commit", TopOnly: true,
			options: options("-A -u -v -n -N --all --update --verbose --dry-run --intent-to-add"), operands: revisions},
		{Name: "git commit", Means: "commits to this repository; its hooks run", TopOnly: true, OwnCode: true,
			options: options("-m= --message= -a -q -s --all --quiet --signoff --no-edit --allow-empty --dry-run --short"), operands: revisions},
	}
}
