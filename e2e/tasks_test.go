package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/conversation"
)

// taskReply answers the requests of a conversation that starts tasks for ships, and those of the tasks: each reads a file, runs a
// command that needs approval, and answers. A gate holds back the answers of the tasks about some ships.
func taskReply(ships []string, gate <-chan struct{}, held ...string) reply {
	return func(w *wire) {
		results := strings.Count(w.body, `"role":"tool"`)
		if !strings.Contains(w.body, "You do one task for another conversation") {
			if results > 0 {
				textReply("All ships are checked.")(w)
				return
			}
			for i, ship := range ships {
				w.call(i, "t"+ship, "task", object{"prompt": "Check the ship " + ship + ".\nSay what you found."})
			}
			w.end("tool_calls", 900, 10)
			return
		}
		ship := ""
		for _, s := range ships {
			if strings.Contains(w.body, "Check the ship "+s) {
				ship = s
			}
		}
		switch results {
		case 0:
			w.call(0, "r"+ship, "read_file", object{"path": "log.txt"})
			w.end("tool_calls", 700, 10)
		case 1:
			w.call(0, "c"+ship, "run_command", object{"command": "echo checked > " + ship + ".txt"})
			w.end("tool_calls", 2700, 10)
		default:
			if slices.Contains(held, ship) {
				w.awaitGate(gate)
			}
			w.text(ship + " floats well.")
			w.end("stop", 2800, 10)
		}
	}
}

func replies(r reply, n int) []reply {
	out := make([]reply, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// allowEach answers the question of each task.
func (p *sandbox) allowEach(term *terminal, ships []string) {
	p.t.Helper()
	for range ships {
		asked := term.awaitQuestion("Allow this?", "task Check the ship", "run_command(echo checked > ")
		term.typeText("y")
		for _, ship := range ships {
			if rule := "run_command(echo checked > " + ship; asked.has(rule) {
				term.awaitWithout(rule)
			}
		}
	}
}

// Three tasks run at once, each with a call and an approval of its own. Only their answers are part of the conversation, and each can
// be opened.
func TestThreeTasksRunAtOnce(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": strings.Repeat("a long day at sea\n", 400)})
	ships := []string{"Ariel", "Taeping", "Serica"}
	s := newServer(t, replies(taskReply(ships, nil), 11)...)
	term := p.startChat(wide, s)
	term.sendMessage("check the ships")
	p.allowEach(term, ships)
	term.awaitIdle("All ships are checked.", "⊖")
	for _, ship := range ships {
		if got := p.readFile(ship + ".txt"); got != "checked\n" {
			t.Errorf("%s.txt is %q", ship, got)
		}
	}
	last := s.request(-1)
	for _, ship := range ships {
		if !strings.Contains(last, ship+" floats well.") {
			t.Errorf("the answer about %s is not sent: %.2000s", ship, last)
		}
	}
	if strings.Contains(last, "a long day at sea") {
		t.Error("what the tasks read is sent")
	}
	p.quit(term)

	if listed := string(p.output("list")); strings.Count(listed, "\n") > 2 || strings.Contains(listed, "Check the ship") {
		t.Errorf("the tasks are listed as conversations of the user:\n%s", listed)
	}
	var report struct {
		KeptOut struct {
			Tasks int `json:"tasks"`
		} `json:"kept_out"`
	}
	if err := json.Unmarshal(p.output(append([]string{"context", "--json"}, s.flags()...)...), &report); err != nil || report.KeptOut.Tasks < 5000 {
		t.Errorf("kept out: %+v, %v", report, err)
	}
	ids := regexp.MustCompile(`\[task ([0-9a-z]+)\]`).FindAllStringSubmatch(last, -1)
	if len(ids) != len(ships) {
		t.Fatalf("%d results name a conversation, not %d", len(ids), len(ships))
	}
	for _, id := range ids {
		if shown := string(p.output("print", id[1])); !strings.Contains(shown, "a long day at sea") || !strings.Contains(shown, "floats well.") {
			t.Errorf("the task %s is %.400s", id[1], shown)
		}
	}
	p.quit(term)
	p.output("delete", p.newestConversation(p.openStore()), "--yes")
	for _, id := range ids {
		if code, _, _ := p.run("print", id[1]); code == 0 {
			t.Errorf("the task %s is there after its conversation was deleted", id[1])
		}
	}
}

// Three tasks run at once, each with a call and an approval of its own: one is done, one is opened and ended by the user, and one is killed
// with the program. The results of their calls name them, and the killed one goes on.
func TestTasksAreEndedKilledAndGoOn(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": "calm\n"})
	gate := make(chan struct{})
	ships := []string{"Serica", "Ariel", "Taeping"}
	s := newServer(t, replies(taskReply(ships, gate, "Ariel", "Taeping"), 10)...)
	term := p.startChat(wide, s)
	term.sendMessage("check the ships")
	p.allowEach(term, ships)
	term.awaitText("2 calls · done")
	s.awaitRequest(&s.series, 9) // the last of the other two tasks, which wait for their answers
	term.slashCommand("/tasks")
	term.awaitText("Tasks", "Check the ship Ariel.", "Check the ship Taeping.", "done", "running", "1 of 3")
	term.typeText("Taeping")
	term.awaitText("1 of 1")
	term.press("enter")
	term.awaitText("▌ Check the ship Taeping.", "log.txt", "the task runs · esc goes back")
	term.press("esc")
	term.awaitText("▌ check the ships")
	term.slashCommand("/tasks")
	term.awaitText("Tasks", "1 of 3")
	term.typeText("Taeping")
	term.awaitText("1 of 1")
	term.press("ctrl+x")
	term.awaitText("interrupted")
	term.kill()
	close(gate)
	id := ""
	s.addReplies(func(w *wire) {
		found := regexp.MustCompile(`continue ([0-9a-z]+)`).FindAllStringSubmatch(w.body, -1)
		if len(found) != len(ships) {
			t.Errorf("the tasks are not named: %s", w.body)
			return
		}
		id = found[1][1] // of the second call
		callReply("t2", "task", object{"prompt": "Go on.", "continue": id})(w)
	}, func(w *wire) {
		if !strings.Contains(w.body, "Check the ship Ariel.") || !strings.Contains(w.body, "calm") || !strings.Contains(w.body, "Go on.") {
			t.Errorf("the task does not go on: %s", w.body)
		}
		textReply("Ariel floats.")(w)
	}, textReply("So it floats."))
	term = p.start(wide, s.flags("-c")...)
	term.awaitIdle("check the ships")
	term.slashCommand("/tasks")
	term.wait("three interrupted tasks", func(s screen) bool { return s.has("1 of 3") && strings.Count(s.text, "interrupted") >= len(ships) })
	term.press("esc")
	term.awaitWithout("1 of 3")
	store := p.openStore()
	log, _, err := store.Load(t.Context(), p.newestConversation(store))
	known := conversation.Tasks(log)
	isInterrupted := func(k conversation.Task) bool { return k.State == conversation.TaskInterrupted && k.Tokens > 0 }
	if err != nil || len(known) != len(ships) || !isInterrupted(known[0]) || !isInterrupted(known[1]) || !isInterrupted(known[2]) { // none had answered its call
		t.Errorf("after the next opening the tasks are %+v, %v", known, err)
	}
	costs := 0
	for _, e := range log {
		if u, ok := e.Body.(conversation.Usage); ok && u.Purpose == conversation.PurposeTask && u.Prompt >= 3400 {
			costs++
		}
	}
	if costs != len(ships) {
		t.Errorf("the costs of %d tasks are in the conversation", costs)
	}
	term.sendMessage("go on")
	term.awaitIdle("So it floats.")
	if sent := s.request(-1); !strings.Contains(sent, "Ariel floats.") {
		t.Errorf("the answer is not sent: %s", sent)
	}
	p.quit(term)
}

// A task is given to an agent of the user's own, is seen while it runs, and ends with its turn. An agent of the workspace is not
// offered before the user's yes.
func TestAnAgentGetsATaskThatIsCancelled(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{".claude/agents/spy.md": "---\ndescription: Tells all\n---\nTell all.\n"})
	agents := filepath.Join(p.env["XDG_CONFIG_HOME"], "plimsoll", "agents")
	if err := os.MkdirAll(agents, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(agents, "bosun.md"), []byte("---\ndescription: Knows the sails\ntools: Read, Bash\n---\nCount every sail twice.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, callReply("t1", "task", object{"prompt": "Count the sails.", "agent": "bosun"}),
		func(w *wire) { w.text("I count"); w.hang() }, textReply("Stopped, then."))
	term := p.start(wide, s.flags()...)
	term.awaitQuestion("spy.md")
	term.typeText("n")
	term.awaitIdle("Talking to")
	term.sendMessage("count")
	if first := s.awaitRequest(&s.series, 0); !strings.Contains(first, "bosun: Knows the sails") || strings.Contains(first, "Tells all") {
		t.Errorf("the agents are not those that are allowed: %s", first)
	}
	asked := s.awaitRequest(&s.series, 1)
	for _, want := range []string{"Count every sail twice.", `"name":"read_file"`, `"name":"run_command"`} {
		if !strings.Contains(asked, want) {
			t.Errorf("the agent lacks %s: %s", want, asked)
		}
	}
	for _, not := range []string{`"name":"task"`, `"name":"modify_file"`} {
		if strings.Contains(asked, not) {
			t.Errorf("the agent has %s", not)
		}
	}
	term.awaitText("0 calls · ")
	term.slashCommand("/tasks")
	term.awaitText("Tasks", "bosun: Count the sails.", "running")
	term.press("enter")
	term.awaitText("▌ Count the sails.", "I count", "the task runs · esc goes back")
	term.press("esc")
	term.awaitText("▌ count", "0 calls · ")
	term.press("esc")
	term.awaitIdle("stopped")
	term.sendMessage("and now")
	term.awaitIdle("Stopped, then.")
	if sent := s.request(-1); !strings.Contains(sent, "a call of task with continue") {
		t.Errorf("the task is not named: %s", sent)
	}
	p.quit(term)
}

// A task goes on in the background: moved there by a key it answers its call, is listed with the commands, its question comes up, and
// the model is told of its end and reads its answer.
func TestATaskGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": "calm\n"})
	gate := make(chan struct{})
	one := taskReply([]string{"Ariel"}, gate, "Ariel")
	s := newServer(t, one, one, one, one, textReply("It goes on."), callReply("read", "run_command", object{"id": "p1"}), textReply("She floats."))
	term := p.startChat(wide, s)
	term.sendMessage("check the ship")
	term.awaitQuestion("Allow this?", "task Check the ship", "echo checked")
	term.typeText("y")
	s.awaitRequest(&s.series, 3)
	term.press("ctrl+b")
	term.awaitText("It goes on.", "1 job")
	if sent := s.request(-1); !strings.Contains(sent, "moved it to the background as p1") {
		t.Errorf("the model is not told: %s", sent)
	}
	term.slashCommand("/jobs")
	term.awaitText("In the background", "p1 · Check the ship Ariel.", "(task)", "running")
	term.press("enter")
	term.awaitText("▌ Check the ship Ariel.", "the task runs · esc goes back")
	close(gate)
	term.awaitText("Ariel floats well.", "The task has ended · enter continues it")
	term.press("esc")
	term.awaitIdle("It goes on.")
	term.sendMessage("and now?")
	term.awaitIdle("She floats.")
	if told := s.request(-2); !strings.Contains(told, "[background task p1 (Check the ship Ariel.") || !strings.Contains(told, "): done") {
		t.Errorf("the model is not told of the end: %s", told)
	}
	if answer := s.request(-1); !strings.Contains(answer, "p1 has ended: done") || !strings.Contains(answer, "Ariel floats well.") {
		t.Errorf("the model does not read the answer: %s", answer)
	}
	p.quit(term)
}

// A conversation with a window of 32k reads more than 400k tokens through tasks, and stays below its load line without a compaction.
func TestWhatTasksReadIsKeptOut(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": strings.Repeat("a long day at sea, and longer\n", 4000)})
	const tasks, reads = 5, 3
	read := func(w *wire) {
		switch results := strings.Count(w.body, `"role":"tool"`); {
		case strings.Contains(w.body, "You do one task for another conversation") && results < reads:
			w.call(0, "read", "run_command", object{"command": "cat log.txt"})
			w.end("tool_calls", 700+30_000*results, 10)
		case strings.Contains(w.body, "You do one task for another conversation"):
			w.text("Calm throughout.")
			w.end("stop", 700+30_000*results, 10)
		case results == 0:
			for i := range tasks {
				w.call(i, "t"+string(rune('a'+i)), "task", object{"prompt": "Read the log."})
			}
			w.end("tool_calls", 900, 10)
		default:
			textReply("All was calm.")(w)
		}
	}
	s := newServer(t, replies(read, tasks*(reads+1)+2)...)
	flags := s.flags("--window", "32768", "--cfg", "permissions.mode=yolo", "--cfg", "tasks.window=262144") // so that no task asks for a summary
	term := p.start(wide, flags...)
	term.awaitIdle("Talking to")
	term.sendMessage("read the log")
	term.awaitIdle("All was calm.", "⊖")
	p.quit(term)
	var report struct {
		Used     int `json:"used"`
		LoadLine int `json:"load_line"`
		KeptOut  struct {
			Tasks int `json:"tasks"`
		} `json:"kept_out"`
	}
	if err := json.Unmarshal(p.output(append([]string{"context", "--json"}, flags...)...), &report); err != nil {
		t.Fatal(err)
	}
	if report.KeptOut.Tasks < 400_000 || report.LoadLine == 0 || report.Used >= report.LoadLine {
		t.Errorf("%+v", report)
	}
	if shown := string(p.output("print")); strings.Contains(shown, "a long day at sea") {
		t.Error("what the tasks read is in the conversation")
	}
}
