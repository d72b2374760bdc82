package hook_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/docs/docstest"
	"plimsoll/tools/hook"
)

// one returns a runner of one hook of a moment, in an empty workspace.
func one(t *testing.T, moment string, h config.Hook) *hook.Runner {
	t.Helper()
	return hook.New(hook.Options{Hooks: map[string][]config.Hook{moment: {h}}, Conversation: "abcd", Workspace: t.TempDir(),
		Environ: append(os.Environ(), "OPENAI_API_KEY=sk-very-secret", "MY_VAULT=hush-hush", "PLAIN=yes"), SecretNames: []string{"MY_VAULT"}})
}

// withoutTimes ignores how long hooks ran.
var withoutTimes = cmpopts.IgnoreFields(conversation.HookRan{}, "Duration", "Command")

func TestAnswersOfHooks(t *testing.T) {
	t.Parallel()
	const before, after, message = conversation.HookBeforeTool, conversation.HookAfterTool, conversation.HookMessage
	failed := func(moment, reason string) conversation.HookOutput {
		return conversation.HookOutput{Ran: []conversation.HookRan{{Moment: moment, Failed: true, Reason: reason}}}
	}
	refused := func(moment, reason string) conversation.HookOutput {
		return conversation.HookOutput{Refused: true, Reason: reason, Ran: []conversation.HookRan{{Moment: moment, Refused: true, Reason: reason}}}
	}
	added := func(moment, command, text string) conversation.HookOutput {
		return conversation.HookOutput{Added: []conversation.HookText{{Command: command, Text: text}},
			Ran: []conversation.HookRan{{Moment: moment, Added: conversation.Measure(text)}}}
	}
	nothing := func(moment string) conversation.HookOutput {
		return conversation.HookOutput{Ran: []conversation.HookRan{{Moment: moment}}}
	}
	for name, c := range map[string]struct {
		moment, command string
		want            conversation.HookOutput
	}{
		"silence":                    {before, "cat > /dev/null", nothing(before)},
		"input that nobody reads":    {before, "true", nothing(before)},
		"exit code 2":                {before, "echo out; echo not now >&2; exit 2", refused(before, "not now")},
		"exit code 2 in silence":     {before, "exit 2", refused(before, "no reason given")},
		"a refusal in JSON":          {message, `echo '{"refuse": "no\nsecrets"}'`, refused(message, "no secrets")},
		"text where none is added":   {before, "echo hello", nothing(before)},
		"text is added":              {after, "printf 'two\\nlines\\n'", added(after, "printf 'two\\nlines\\n'", "two\nlines")},
		"JSON adds before a tool":    {before, `echo '{"add": "more"}'`, added(before, `echo '{"add": "more"}'`, "more")},
		"JSON adds":                  {message, `echo '{"add": "more"}'`, added(message, `echo '{"add": "more"}'`, "more")},
		"braces that are no JSON":    {message, "echo '{x'", added(message, "echo '{x'", "{x")},
		"a result cannot be refused": {after, "echo wrong >&2; exit 2", added(after, "echo wrong >&2; exit 2", "wrong")},
		"escape sequences":           {after, `printf '\033[31mred\033[0m\000'`, added(after, `printf '\033[31mred\033[0m\000'`, "red\u2400")},
		"another exit code":          {before, "echo a >&2; echo broke >&2; exit 3", failed(before, "exit code 3: broke")},
		"a signal":                   {before, "kill -KILL $$", failed(before, "ended by signal: killed")},
		"no such command":            {before, "/no/such/command 2> /dev/null", failed(before, "exit code 127")},
		"an answer of another form":  {message, `echo '{"add": 7}'`, failed(message, "its answer is not as expected: json: cannot unmarshal number into Go struct field answer.add of type string")},
		"nothing to refuse":          {conversation.HookTurnEnd, "exit 2", failed(conversation.HookTurnEnd, "it refused, but nothing can be refused at this moment")},
		"to be kept": {conversation.HookBeforeCompaction, `echo '{"keep": ["port\n8080", ""], "add": "x"}'`,
			conversation.HookOutput{Ran: []conversation.HookRan{{Moment: conversation.HookBeforeCompaction, Keep: []string{"port 8080"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := one(t, c.moment, config.Hook{Command: c.command}).Run(t.Context(), conversation.HookInput{Moment: c.moment, Text: strings.Repeat("x", 200_000)})
			if diff := cmp.Diff(c.want, got, withoutTimes); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFirstRefusalEndsTheHooksOfAMoment(t *testing.T) {
	t.Parallel()
	r := hook.New(hook.Options{Workspace: t.TempDir(), Hooks: map[string][]config.Hook{conversation.HookMessage: {
		{Command: "exit 9"}, {Command: "echo added"}, {Command: "exit 2"}, {Command: "touch ran"}}}})
	out := r.Run(t.Context(), conversation.HookInput{Moment: conversation.HookMessage})
	if !out.Refused || len(out.Ran) != 3 || !out.Ran[0].Failed || len(out.Added) != 1 {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(r.Workspace, "ran")); err == nil {
		t.Error("a hook ran after the refusal")
	}
	if hook.New(hook.Options{Hooks: map[string][]config.Hook{conversation.HookMessage: nil}}) != nil {
		t.Error("there are hooks")
	}
}

func TestHooksReadWhatHappens(t *testing.T) {
	t.Parallel()
	call := conversation.ToolCall{ID: "1", Name: "read_file", Arguments: `{"path":"a"}`}
	made := conversation.HookCompaction{Source: "manual", Trigger: "command", FromTurn: 1, ToTurn: 4, Before: 900, After: 300, Focus: "names"}
	for moment, c := range map[string]struct {
		in   conversation.HookInput
		want string
	}{
		conversation.HookBeforeTool: {conversation.HookInput{Call: call, Turn: 2}, `"turn":2,"tool":"read_file","arguments":{"path":"a"}}`},
		conversation.HookAfterTool: {conversation.HookInput{Call: call, Status: "error", Text: "<no>"},
			`"turn":0,"tool":"read_file","arguments":{"path":"a"},"status":"error","result":"<no>"}`},
		conversation.HookMessage:          {conversation.HookInput{Text: "a\nb"}, `"turn":0,"message":"a\nb"}`},
		conversation.HookTurnEnd:          {conversation.HookInput{Reason: "done"}, `"turn":0,"reason":"done"}`},
		conversation.HookBeforeCompaction: {conversation.HookInput{Compaction: made}, `"turn":0,"compaction":{"source":"manual","trigger":"command","from_turn":1,"to_turn":4,"before":900,"focus":"names"}}`},
		conversation.HookAfterCompaction:  {conversation.HookInput{Compaction: made}, `"turn":0,"compaction":{"source":"manual","trigger":"command","from_turn":1,"to_turn":4,"before":900,"after":300,"focus":"names"}}`},
	} {
		r := one(t, moment, config.Hook{Command: "cat > in"})
		c.in.Moment = moment
		r.Run(t.Context(), c.in)
		got, err := os.ReadFile(filepath.Join(r.Workspace, "in"))
		want := `{"moment":"` + moment + `","conversation":"abcd","workspace":"` + r.Workspace + `",` + c.want + "\n"
		if err != nil || !json.Valid(got) || string(got) != want {
			t.Errorf("%s: %v\n%s%s", moment, err, got, want)
		}
	}
}

func TestHooksMatchTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		match, tool string
		want        int
	}{
		{"", "read_file", 1}, {"read_file", "read_file", 1}, {"read", "read_file", 0}, {"read_*", "read_file", 1}, {"*_file", "read_file", 1},
		{"*", "a/b", 1}, {"mcp__files__*", "mcp__files__read", 1}, {"mcp__files__*", "mcp__other__read", 0}, {"a*b*c", "aXbYc", 1},
		{"a*b*c", "ac", 0}, {"a*bc*c", "abc", 0}, {"[a]", "a", 0}, {"mcp__files__*", "call_tool", 1},
	} {
		r := one(t, conversation.HookBeforeTool, config.Hook{Match: c.match, Command: "true"})
		r.Unwrap = func(call conversation.ToolCall) conversation.ToolCall {
			if call.Name == "call_tool" {
				call.Name = "mcp__files__write"
			}
			return call
		}
		in := conversation.HookInput{Moment: conversation.HookBeforeTool, Call: conversation.ToolCall{Name: c.tool}}
		if got := len(r.Run(t.Context(), in).Ran); got != c.want {
			t.Errorf("%q and %s: %d, want %d", c.match, c.tool, got, c.want)
		}
	}
}

func TestHooksGetNoKeys(t *testing.T) {
	t.Parallel()
	r := one(t, conversation.HookTurnEnd, config.Hook{Command: "env > env; pwd >> env"})
	r.Run(t.Context(), conversation.HookInput{Moment: conversation.HookTurnEnd})
	text, err := os.ReadFile(filepath.Join(r.Workspace, "env"))
	if err != nil || strings.Contains(string(text), "sk-very") || strings.Contains(string(text), "hush") || !strings.Contains(string(text), "PLAIN=yes") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestFloodsAreBounded(t *testing.T) {
	t.Parallel()
	flood := "head -c 3000000 /dev/zero | tr '\\0' x"
	out := one(t, conversation.HookAfterTool, config.Hook{Command: flood + "; " + flood + " >&2"}).Run(t.Context(), conversation.HookInput{Moment: conversation.HookAfterTool})
	if len(out.Added) != 1 || len(out.Added[0].Text) > 66_000 || !strings.Contains(out.Added[0].Text, "not kept") {
		t.Errorf("%.200v", out)
	}
	out = one(t, conversation.HookAfterTool, config.Hook{Command: "printf '{\"add\": \"'; " + flood}).Run(t.Context(), conversation.HookInput{Moment: conversation.HookAfterTool})
	if len(out.Ran) != 1 || !out.Ran[0].Failed || !strings.Contains(out.Ran[0].Reason, "more than 65536 bytes") {
		t.Errorf("an answer that is too long: %.200v", out)
	}
	out = one(t, conversation.HookBeforeTool, config.Hook{Command: flood + " >&2; exit 2"}).Run(t.Context(), conversation.HookInput{Moment: conversation.HookBeforeTool})
	if !out.Refused || len(out.Reason) > 2100 {
		t.Errorf("a reason of %d bytes", len(out.Reason))
	}
}

// startsChild writes the process id of a child to a file, says that it is there, and waits.
const startsChild = "sleep 300 & echo $! > child; echo ready > fifo; wait"

func TestTimeoutAndCancelEndAllProcesses(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]time.Duration{"timeout": 300 * time.Millisecond, "cancel": time.Minute} {
		r := one(t, conversation.HookBeforeTool, config.Hook{Command: startsChild, Timeout: limit})
		fifo := filepath.Join(r.Workspace, "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan conversation.HookOutput, 1)
		go func() { ended <- r.Run(ctx, conversation.HookInput{Moment: conversation.HookBeforeTool}) }()
		if _, err := os.ReadFile(fifo); err != nil { // waits for the child
			t.Fatal(err)
		}
		want := "it was ended after 300ms, its timeout"
		if name == "cancel" {
			want = conversation.HookStopped
			cancel()
		}
		out := <-ended
		cancel()
		if len(out.Ran) != 1 || !out.Ran[0].Failed || out.Ran[0].Reason != want || out.Refused {
			t.Errorf("%s: %+v", name, out)
		}
		text, _ := os.ReadFile(filepath.Join(r.Workspace, "child"))
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || syscall.Kill(pid, 0) == nil {
			t.Errorf("%s: process %d still runs (%v)", name, pid, err)
		}
	}
}

func TestWhatAHookLeavesRunningIsEnded(t *testing.T) {
	t.Parallel()
	r := one(t, conversation.HookBeforeTool, config.Hook{Command: "sleep 300 > /dev/null 2>&1 & echo $! > child"})
	out := r.Run(t.Context(), conversation.HookInput{Moment: conversation.HookBeforeTool})
	text, _ := os.ReadFile(filepath.Join(r.Workspace, "child"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || syscall.Kill(pid, 0) == nil || out.Ran[0].Failed {
		t.Errorf("process %d still runs (%v), %+v", pid, err, out)
	}
}

var update = flag.Bool("update", false, "write the generated part of the document")

const document = "../../docs/hooks.md"

func TestDocumentShowsWhatHooksRead(t *testing.T) {
	t.Parallel()
	call := conversation.ToolCall{Name: "modify_file", Arguments: `{"path":"a.go","old":"x","new":"y"}`}
	made := conversation.HookCompaction{Source: conversation.SourceManual, Trigger: "command", FromTurn: 0, ToTurn: 4, Before: 29113, After: 12353, Focus: "the API"}
	text := "```json\n"
	for _, in := range []conversation.HookInput{
		{Moment: conversation.HookBeforeTool, Turn: 5, Call: call},
		{Moment: conversation.HookAfterTool, Turn: 5, Call: call, Status: conversation.ResultOK, Text: "a.go was changed"},
		{Moment: conversation.HookMessage, Turn: 5, Text: "rename x"},
		{Moment: conversation.HookBeforeCompaction, Turn: 5, Compaction: made},
		{Moment: conversation.HookAfterCompaction, Turn: 5, Compaction: made},
		{Moment: conversation.HookTurnEnd, Turn: 5, Reason: "done"},
	} {
		r := one(t, in.Moment, config.Hook{Command: "cat > in"})
		r.Run(t.Context(), in)
		line, err := os.ReadFile(filepath.Join(r.Workspace, "in"))
		if err != nil {
			t.Fatal(err)
		}
		common, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(string(line)), r.Workspace, "/home/me/project"), `"turn":`)
		text += common + "\n \"turn\":" + rest + "\n"
	}
	docstest.Part(t, document, "moments", text+"```", *update)
}

func TestExampleOfTheDocumentRefusesToPush(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(document)
	found := regexp.MustCompile(`(?m)^ +command: '(.*)'$`).FindSubmatch(text)
	if err != nil || found == nil {
		t.Fatal("no example", err)
	}
	for command, want := range map[string]string{"git push origin main": "push by hand", "git status": ""} {
		arguments, _ := json.Marshal(map[string]string{"command": command})
		out := one(t, conversation.HookBeforeTool, config.Hook{Match: "run_command", Command: string(found[1])}).Run(t.Context(),
			conversation.HookInput{Moment: conversation.HookBeforeTool, Call: conversation.ToolCall{Name: "run_command", Arguments: string(arguments)}})
		if out.Reason != want || len(out.Ran) != 1 || out.Ran[0].Failed {
			t.Errorf("%s: %+v", command, out)
		}
	}
}
