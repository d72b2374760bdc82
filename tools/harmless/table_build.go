package harmless

// go has one command here: others build, too, or ask a proxy, and do not say that they run the project's code. -o, -C, -exec,
// -toolexec, -overlay, -modfile, -ldflags and all that names a program or a file are not among its options.
func goEntries() []Entry {
	return []Entry{
		{Name: "go test", Means: "runs tests of folders of this workspace", OwnCode: true, style: single, operands: packages,
			options: options("-v -x -n -a -race -msan -asan -cover -trimpath -json -p= -tags= -covermode= -mod=readonly -mod=vendor -buildvcs=false " +
				"-buildvcs=auto -run= -skip= -bench= -benchtime= -benchmem -count= -cpu= -list= -parallel= -timeout= -shuffle= -short -failfast " +
				"-fullpath -vet=off -fuzztime=")},
		{Name: "gofmt", Means: "shows how files should be formatted", options: options("-l -d -s -e"), style: single, operands: files},
	}
}

func buildEntries() []Entry {
	const build = "-v -vv -q -r --release --lib --bins --tests --examples --benches --all-targets --all --workspace --all-features --no-default-features " +
		"--no-fail-fast --no-run --locked --offline --frozen --keep-going --verbose --quiet --doc -p= --package= -F= --features= --bin= --test= " +
		"--example= --bench= --exclude= -j# --jobs# --profile= --message-format= --color= "
	cargo := func(name, means string, o operands, behind string) Entry {
		e := Entry{Name: "cargo " + name, Means: means, OwnCode: true, options: options(build), operands: o}
		if behind != "" {
			e.behind, e.behindOnes = options(behind), words
		}
		return e
	}
	const libtest = "--nocapture --no-capture --show-output --ignored --include-ignored --exact --list -q --quiet --test-threads= --skip= --color="
	out := []Entry{
		cargo("test", "runs tests of this project", words, libtest),
		cargo("build", "builds this project", nothing, ""),
		cargo("check", "checks this project", nothing, ""),
		{Name: "cargo clippy", Means: "looks for mistakes in this project", OwnCode: true, options: options(build, "--no-deps"), behind: options("-D= -W= -A= -F=")},
		// Even this runs what rust-toolchain.toml names.
		{Name: "cargo fmt --check", Means: "shows how files should be formatted", OwnCode: true, options: options("--all -v -q")},
	}
	for _, name := range []string{"pytest", "python -m pytest", "python3 -m pytest"} {
		out = append(out, Entry{Name: name, Means: "runs tests in this workspace", OwnCode: true, operands: testFiles,
			options: options("-v -vv -vvv -q -x -s -l --verbose --quiet --exitfirst --lf --last-failed --ff --failed-first --nf --sw --stepwise " +
				"--co --collect-only --no-header --no-summary --showlocals --strict-markers --setup-show --fixtures --markers --disable-warnings " +
				"-k= -m= -r= --maxfail= --tb= --durations= --durations-min= --color= --capture=")})
	}
	return out
}
