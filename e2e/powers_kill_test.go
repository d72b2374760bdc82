package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/conversation"
)

// quayServer is a program of the shell's own commands that serves one tool, slowly.
const quayServer = `while read -r line; do
	id=${line#*\"id\":}
	id=${id%%[,\}]*}
	case $line in
	*'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"quay","version":"1"}}}\n' "$id" ;;
	*'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"moor","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
	*'"method":"tools/call"'*) sleep 0.02; printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"moored"}]}}\n' "$id" ;;
	*'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
	esac
done
`

// kills is how many times the program is killed; PLIMSOLL_KILLS sets another number.
func kills(t *testing.T) int {
	text, ok := os.LookupEnv("PLIMSOLL_KILLS")
	switch {
	case !ok && testing.Short():
		return 3
	case !ok:
		return 8
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The program is killed at random moments of starts of servers, calls, loads of skills and hooks. What it said to be done is stored, the
// conversation goes on, and no process is left.
func TestKillsAmongCallsAndHooksLoseNothing(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"server.sh": quayServer})
	settings := filepath.Join(p.env["XDG_CONFIG_HOME"], "plimsoll")
	for name, text := range map[string]string{
		"config.yaml": "mcp: {quay: {command: [sh, server.sh]}}\npermissions: {allow: [mcp__quay, run_command]}\n" +
			"hooks: {before_tool: [{command: 'sleep 0.01'}], after_tool: [{command: 'sleep 0.01; echo noted'}], message: [{command: 'echo by night'}]}\n",
		"skills/pilot/SKILL.md": "---\nname: pilot\ndescription: Brings ships in.\n---\nMind the tide.\n",
	} {
		path := filepath.Join(settings, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var steps atomic.Int64
	s := newServer(t)
	s.addReplies(repeated(40*(kills(t)+2), func(w *wire) {
		step := steps.Add(1)
		id := func(i int) string { return fmt.Sprintf("c%d-%d", step, i) }
		switch step % 3 {
		case 0:
			w.text("Done.")
			w.end("stop", 0, 0)
			return
		case 1:
			w.call(0, id(0), "mcp__quay__moor", object{})
			w.call(1, id(1), "load_skill", object{"name": "pilot"})
		default:
			w.call(0, id(0), "run_command", object{"command": "sleep 0.02; echo cast off"})
		}
		w.end("tool_calls", 0, 0)
	})...)

	ask := func(killAfter time.Duration, words ...string) (done []string, took time.Duration) {
		cmd := p.newCommand(s.flags(append([]string{"ask", "--json"}, words...)...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		began := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killAfter > 0 {
			timer := time.AfterFunc(killAfter, func() { _ = cmd.Process.Kill() }) // it may have ended
			defer timer.Stop()
		}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line struct{ Type, ID string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Type == "result" {
				done = append(done, line.ID)
			}
		}
		if err := cmd.Wait(); killAfter == 0 && err != nil {
			t.Fatalf("ask %q: %v\n%s", words, err, errs.String())
		}
		return done, time.Since(began)
	}
	ask(0, "begin")
	all, usual := ask(0, "-c", "how long does it take?")
	if len(all) != 3 {
		t.Fatalf("a turn has the results %q", all)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range kills(t) {
		done, _ := ask(1+time.Duration(random.Int64N(int64(usual))), "-c", fmt.Sprintf("load ship %d", i))
		all = append(all, done...)
		p.awaitNoProcess()
	}
	ask(0, "-c", "and now?")

	store := p.openStore()
	id := p.newestConversation(store)
	events, report, err := store.Load(t.Context(), id)
	if err != nil || len(report.Notices) > 0 {
		t.Fatalf("the conversation cannot be read whole: %v, %v", err, report)
	}
	results, calls := map[string]bool{}, map[string]bool{}
	var last string
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			results[b.CallID] = true
		case conversation.AssistantMessage:
			last = b.Text
			for _, c := range b.Calls {
				calls[c.ID] = true
			}
		}
	}
	for _, id := range all {
		if !results[id] {
			t.Errorf("the result of %s was shown and is not stored", id)
		}
	}
	for id := range calls {
		if !results[id] {
			t.Errorf("the call %s has no result", id)
		}
	}
	if last != "Done." {
		t.Errorf("the conversation ends with %q", last)
	}
	if findings, err := store.Check(t.Context(), func(int, int) {}); err != nil || len(findings) > 0 {
		t.Errorf("the check found %v, %v", findings, err)
	}
}

func repeated(n int, r reply) []reply {
	out := make([]reply, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// awaitNoProcess waits until no process works in the workspace. Only Linux tells.
func (p *sandbox) awaitNoProcess() {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		var left []string
		links, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, link := range links {
			if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, p.work) {
				text, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline")) // it may have ended
				left = append(left, strings.ReplaceAll(string(text), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			p.t.Fatalf("processes are left: %q", left)
		}
	}
}

// A rewind of files that is killed at random moments leaves each file as before or brought back, and the next one says which.
func TestKillsDuringARewindLeaveEveryFileWhole(t *testing.T) {
	t.Parallel()
	const files = 12
	name := func(i int) string { return fmt.Sprintf("ship%02d.txt", i) }
	before, after := strings.Repeat("before\n", 2000), strings.Repeat("after\n", 2000)
	p := newSandbox(t, nil)
	s := newServer(t, func(w *wire) {
		for i := range files {
			w.call(i, fmt.Sprint("c", i), "create_file", object{"path": name(i), "content": after, "overwrite": true})
		}
		w.end("tool_calls", 0, 0)
	}, textReply("Done."))
	for i := range files {
		p.writeFile(name(i), before)
	}
	p.output(s.flags("ask", "--cfg", "permissions.mode=auto-edit", "sail")...)
	id := p.newestConversation(p.openStore())
	began := time.Now()
	rewind := []string{"rewind", id, "--turn", "0", "--files"}
	if out, err := p.newCommand(rewind...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	usual, random := time.Since(began), rand.New(rand.NewPCG(3, 4))
	for range kills(t) {
		for i := range files {
			p.writeFile(name(i), after)
		}
		cmd := p.newCommand(rewind...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(usual))), func() { _ = cmd.Process.Kill() }) // it may have ended
		_ = cmd.Wait()                                                                                         // killed
		timer.Stop()
		var left []string
		for i := range files {
			switch p.readFile(name(i)) {
			case after:
				left = append(left, name(i))
			case before:
			default:
				t.Fatalf("%s is neither as before nor brought back", name(i))
			}
		}
		var planned struct{ Files []struct{ Path, Left string } }
		if err := json.Unmarshal(p.output(append(rewind, "--dry-run", "--json")...), &planned); err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, f := range planned.Files {
			if told = append(told, f.Path); f.Left != "" {
				t.Errorf("%s cannot be brought back after a kill: %s", f.Path, f.Left)
			}
		}
		if !slices.Equal(told, left) {
			t.Errorf("left are %q, and it says %q", left, told)
		}
	}
}
