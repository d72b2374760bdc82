package tools_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/tools"
)

func TestRunCommandShowsExitCodeAndOutput(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.txt": "hello\n"})
	out := run(t, b, "run_command", map[string]any{"command": "cat a.txt; echo err >&2; pwd -P"})
	if out.Status != conversation.ResultOK || !strings.HasPrefix(out.Text, "exit code 0, ") || !strings.HasSuffix(out.Text, "s\nhello\nerr\n"+b.Workspace()) {
		t.Errorf("in %s got %+v", dir, out)
	}
	out = run(t, b, "run_command", map[string]any{"command": "exit 3"})
	if out.Status != conversation.ResultError || !strings.HasPrefix(out.Text, "exit code 3, ") || !strings.HasSuffix(out.Text, "\n(no output)") {
		t.Errorf("got %+v", out)
	}
	out = run(t, b, "run_command", map[string]any{"command": "kill -9 $$"})
	if out.Status != conversation.ResultError || !strings.HasPrefix(out.Text, "ended by signal: killed") {
		t.Errorf("got %+v", out)
	}
	out = run(t, b, "run_command", map[string]any{"command": "echo 'a.go:3: error: no port'; echo tidying up; exit 1"})
	if !strings.HasPrefix(out.Detail, "exit code 1, ") || !strings.HasSuffix(out.Detail, "\na.go:3: error: no port") {
		t.Errorf("the failure is described as %q", out.Detail)
	}
	if got := succeed(t, b, "run_command", map[string]any{"command": "cat; (: </dev/tty) 2>/dev/null || echo no terminal"}); !strings.HasSuffix(got, "\nno terminal") {
		t.Errorf("input or terminal: %q", got)
	}
	fail(t, b, "run_command", nil, "needs command")
	fail(t, b, "run_command", map[string]any{"command": "x", "id": "p1"}, "not both")
	fail(t, b, "run_command", map[string]any{"command": "x", "stop": true}, "needs the id")
	fail(t, b, "run_command", map[string]any{"id": "p9"}, `no background command "p9"; there is none`)
}

func TestCommandsSeeNoAPIKeys(t *testing.T) {
	t.Parallel()
	env := []string{"PATH=" + os.Getenv("PATH"), "COPIED=Bearer fake-secret", "CONNECTION=Server=db;User=me;Password=fake-secret",
		"DATABASE_URL=postgres://me:fake-secret@db/x", "INNOCENT=sk-fake-secret"}
	for _, name := range strings.Fields(`OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY DEEPSEEK_API_KEY MISTRAL_API_KEY XAI_API_KEY
		GROQ_API_KEY GITHUB_TOKEN AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID DB_PASSWORD PGPASSWORD MYSQL_PWD npm_config__authToken CONFIGURED
		MYPW MYPW2 DBPASS db_pass userpwd dbPwd PW PASS MYKEY DEPLOYKEY SSHKEY2 GH_PAT OAUTH BASICAUTH MYCREDS SESSIONCOOKIE
		MYJWT BW_SESSION OP_SESSION_my PHPSESSID SENTRY_DSN WIFI_PSK tokenOfMine Secrets APPLICATION_CREDENTIALS`) {
		env = append(env, name+"=fake-secret")
	}
	kept := []string{"HOME=/h", "KEYBOARD=de", "MONKEY=george", "EDITOR=vi", "PLAIN_URL=https://example.com/a:b@c", "OLDPWD=/", "SSH_AUTH_SOCK=/s", "COMPASS=n",
		"GIT_AUTHOR_NAME=me", "GOPRIVATE=x", "GIT_ASKPASS=/p", "FILE=/home/me/k", "DESKTOP_SESSION=kde", "LANG=C"}
	gone := []string{"FORCE_COLOR=1", "POSIXLY_CORRECT=1", "BASHOPTS=globstar", "CDPATH=/", "SSHKEY_AT=fake", "MY_KEY=/home/me/k"}
	b, _ := open(t, nil, func(o *tools.Options) {
		o.Environ, o.SecretNames = slices.Concat(env, kept, gone, []string{"TERM=xterm"}), []string{"CONFIGURED"}
	})
	got := succeed(t, b, "run_command", map[string]any{"command": "env"})
	if strings.Contains(got, "fake-secret") {
		t.Errorf("a key is visible:\n%s", got)
	}
	for _, kv := range append(kept, "TERM=dumb", "NO_COLOR=1") {
		if !strings.Contains("\n"+got+"\n", "\n"+kv+"\n") {
			t.Errorf("%s is missing:\n%s", kv, got)
		}
	}
	for _, kv := range gone { // bash sets a BASHOPTS of its own
		if strings.Contains("\n"+got+"\n", "\n"+kv+"\n") {
			t.Errorf("commands see %s", kv)
		}
	}
}

func TestKeysOfTheProcessStayHidden(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-parent")
	b, _ := open(t, nil, func(o *tools.Options) { o.Environ = nil })
	if got := succeed(t, b, "run_command", map[string]any{"command": "env"}); strings.Contains(got, "of-the-parent") || !strings.Contains(got, "PATH=") {
		t.Errorf("got %s", got)
	}
}

// witness makes a pipe that the processes of a command hold open; wait returns when
// all of them have ended.
func witness(t *testing.T, dir string) (wait func()) {
	t.Helper()
	path := filepath.Join(dir, "witness")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(path) // waits for a writer
		if err != nil {
			t.Error(err)
		}
		opened <- f
	}()
	return func() {
		f := <-opened
		defer f.Close()
		if _, err := io.ReadAll(f); err != nil {
			t.Error(err)
		}
	}
}

// stubborn starts a grandchild and a child that ignore SIGTERM and hold the witness
// open, and prints "up" when both run.
const stubborn = `(trap '' TERM; (trap '' TERM; exec 3>witness; echo up; while :; do sleep 1000; done) & exec 3>witness; wait; wait) 3>witness & wait`

// ready returns a progress function that calls f once, when the output contains text.
func ready(text string, f func()) func(string) {
	var once sync.Once
	var seen strings.Builder
	return func(s string) {
		seen.WriteString(s)
		if strings.Contains(seen.String(), text) {
			once.Do(f)
		}
	}
}

func TestCancelEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	b, dir := open(t, nil)
	gone := witness(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := b.Run(ctx, call(t, "run_command", map[string]any{"command": stubborn}), ready("up", cancel))
	gone()
	if out.Status != conversation.ResultInterrupted || !strings.Contains(out.Text, "interrupted and ended\nup") {
		t.Errorf("got %+v", out)
	}
}

func TestTimeoutEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	b, dir := open(t, nil)
	gone := witness(t, dir)
	out := run(t, b, "run_command", map[string]any{"command": stubborn, "timeout": 1})
	gone()
	if out.Status != conversation.ResultError || !strings.HasPrefix(out.Text, "ended after 1s, its timeout.") {
		t.Errorf("got %+v", out)
	}
}

func TestProcessesThatACommandLeavesRunningAreEnded(t *testing.T) {
	t.Parallel()
	b, dir := open(t, nil)
	gone := witness(t, dir)
	out := run(t, b, "run_command", map[string]any{"command": "exec 3>witness; sleep 1000 & echo done"})
	gone()
	if out.Status != conversation.ResultOK || !strings.Contains(out.Text, "left running were ended") || !strings.HasSuffix(out.Text, "\ndone") {
		t.Errorf("got %+v", out)
	}
}

func TestOutputOfAProcessThatLeftTheGroupIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid here")
	}
	b, dir := open(t, nil)
	for _, name := range []string{"gate", "up"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := run(t, b, "run_command", map[string]any{"command": "setsid sh -c 'echo >up; read x <gate' & read x <up; echo done"})
	if out.Status != conversation.ResultOK || !strings.HasSuffix(out.Text, "\ndone") {
		t.Errorf("got %+v", out)
	}
	write(t, filepath.Join(dir, "gate"), "go\n") // waits for the process that is still there
}

func TestBackgroundCommandsRunUntilTheyAreStopped(t *testing.T) {
	t.Parallel()
	b, dir := open(t, nil)
	gone := witness(t, dir)
	if err := syscall.Mkfifo(filepath.Join(dir, "gate"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := succeed(t, b, "run_command", map[string]any{"background": true, "command": "exec 3>witness; echo one; read x <gate; echo two; echo open >gate; sleep 1000"})
	if !strings.HasPrefix(got, "started in the background as p1.") {
		t.Fatalf("got %q", got)
	}
	write(t, filepath.Join(dir, "gate"), "go\n") // waits for the reader
	if read(t, filepath.Join(dir, "gate")) != "open\n" {
		t.Error("not open")
	}
	got = succeed(t, b, "run_command", map[string]any{"id": "p1", "stop": true})
	gone()
	if !strings.HasPrefix(got, "p1 has ended: ended by signal: terminated\n") || !strings.HasSuffix(got, "one\ntwo") {
		t.Errorf("got %q", got)
	}
	if got = succeed(t, b, "run_command", map[string]any{"id": "p1"}); !strings.HasSuffix(got, "(no output)") {
		t.Errorf("output is shown twice: %q", got)
	}
}

func TestCloseEndsBackgroundCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := tools.New(tools.Options{Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	gone := witness(t, dir)
	if err := syscall.Mkfifo(filepath.Join(dir, "gate"), 0o600); err != nil {
		t.Fatal(err)
	}
	succeed(t, b, "run_command", map[string]any{"background": true, "command": "trap '' TERM; exec 3>witness; echo up >gate; while :; do sleep 1000; done"})
	if read(t, filepath.Join(dir, "gate")) != "up\n" {
		t.Error("not up")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	gone()
	fail(t, b, "run_command", map[string]any{"background": true, "command": "true"}, "being closed")
}

func TestOutputStreamsInWholeCharacters(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	var all strings.Builder
	out := b.Run(t.Context(), call(t, "run_command", map[string]any{"command": `printf '\346'; sleep 0.1; printf '\274\242 \360\237'; sleep 0.1; printf '\230\200'`}), func(s string) {
		if !utf8.ValidString(s) {
			t.Errorf("half a character: %q", s)
		}
		all.WriteString(s)
	})
	if all.String() != "漢 😀" || !strings.HasSuffix(out.Text, "\n漢 😀") {
		t.Errorf("streamed %q, got %q", all.String(), out.Text)
	}
}

func TestOutputKeepsHeadAndTailUpToTheCeiling(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, func(o *tools.Options) { o.Ceiling = 4000 })
	got := succeed(t, b, "run_command", map[string]any{"command": "echo first; seq 100000 200000; echo last"})
	if !strings.Contains(got, "\nfirst\n") || !strings.HasSuffix(got, "\nlast") || !strings.Contains(got, "of output not kept") || len(got) > 4200 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestOnlyOutputThatWillBeCutShowsItsEndFirst(t *testing.T) {
	t.Parallel()
	most := 200_000
	b, _ := open(t, nil, func(o *tools.Options) { o.ResultChars = func() int { return most } })
	const command = "seq 1 20000; echo the last word" // 108,910 characters
	if got := succeed(t, b, "run_command", map[string]any{"command": command}); strings.Contains(got, "[the end of the output:]") {
		t.Error("what is not cut shows its end twice")
	}
	for _, most = range []int{100_000, 300} { // the window may change
		got := succeed(t, b, "run_command", map[string]any{"command": command})
		shown, total := conversation.Cut(got, most)
		if total == 0 || !strings.Contains(shown, "the last word") {
			t.Errorf("cut at %d: the end does not survive (total %d)", most, total)
		}
		if !strings.Contains(got, "[the output from its beginning:]\n1\n2\n") || !strings.HasSuffix(got, "the last word") {
			t.Error("the output is not whole")
		}
	}
}

func TestOutputIsShownAsOnATerminal(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	got := succeed(t, b, "run_command", map[string]any{"command": `printf '\033[31mred\033[0m\r\n10%%\r20%%\r100%%\ndone\033]52;c;AAAA\007\n'`})
	if !strings.HasSuffix(got, "\nred\n100%\ndone") {
		t.Errorf("got %q", got)
	}
}

func TestOnlySomeCommandsThatHaveEndedAreKept(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	for i := range 20 {
		id := fmt.Sprintf("p%d", i+1)
		succeed(t, b, "run_command", map[string]any{"command": "echo out; exit 7", "background": true})
		if got := succeed(t, b, "run_command", map[string]any{"id": id, "timeout": 60}); got != id+" has ended: exit code 7\nout" { // waits for it
			t.Errorf("got %q", got)
		}
	}
	succeed(t, b, "run_command", map[string]any{"command": "true", "background": true})
	fail(t, b, "run_command", map[string]any{"id": "p1"}, "no background command")
	succeed(t, b, "run_command", map[string]any{"id": "p20"})
}
