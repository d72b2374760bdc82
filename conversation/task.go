package conversation

// A task is a conversation of its own that the model starts with the tool task. Only its answer is part of the conversation
// that started it, which is its parent.

// ToolTask is the name of the tool that runs tasks.
const ToolTask = "task"

// The states in which a task can end.
const (
	TaskDone        = "done"
	TaskFailed      = "failed"
	TaskInterrupted = "interrupted"
)

// TaskStarted records that a task was started or continued. It is in the log of the parent, and at the beginning of the log of
// the sub-conversation, where it has Parent. It never changes the view.
type TaskStarted struct {
	Conversation string `json:"conversation"`     // ID of the sub-conversation
	Parent       string `json:"parent,omitempty"` // ID of the conversation that started it; only in the sub-conversation
	Call         string `json:"call"`             // ID of the call that started it
	Prompt       string `json:"prompt"`           // the first line of the prompt
	Model        string `json:"model,omitempty"`  // provider/id
	Agent        string `json:"agent,omitempty"`  // name of the user-defined agent, "" for none
}

// TaskEnded records how a task ended, and how many tokens it kept out of the parent conversation.
type TaskEnded struct {
	Conversation string   `json:"conversation"`
	Call         string   `json:"call"`
	State        string   `json:"state"`              // TaskDone, TaskFailed or TaskInterrupted
	Through      uint64   `json:"through"`            // Seq of the newest event of the sub-conversation
	Tokens       int      `json:"tokens"`             // estimated, of its messages without the answer, since it last ended
	CostUSD      *float64 `json:"cost_usd,omitempty"` // since it last ended; nil: unknown
}

func (TaskStarted) Kind() Kind { return KindTaskStarted }
func (TaskEnded) Kind() Kind   { return KindTaskEnded }

// Task is the state of a task by the log of its parent.
type Task struct {
	TaskStarted          // of the newest start
	State       string   // how it ended, "" if it has not
	Through     uint64   // of the newest end
	Tokens      int      // in all
	CostUSD     *float64 // in all; nil: unknown
}

// Tasks lists the tasks that a log started, in the order of their first start.
func Tasks(log []Event) []Task {
	var out []Task
	at := map[string]int{}
	for _, e := range log {
		switch b := e.Body.(type) {
		case TaskStarted:
			i, known := at[b.Conversation]
			switch {
			case b.Parent != "": // the log is that of a sub-conversation
			case known:
				out[i].TaskStarted, out[i].State = b, ""
			default:
				at[b.Conversation] = len(out)
				out = append(out, Task{TaskStarted: b})
			}
		case TaskEnded:
			i, known := at[b.Conversation]
			if !known {
				continue
			}
			t := &out[i]
			t.State, t.Through, t.Tokens = b.State, b.Through, t.Tokens+max(0, b.Tokens)
			if b.CostUSD != nil {
				sum := *b.CostUSD
				if t.CostUSD != nil {
					sum += *t.CostUSD
				}
				t.CostUSD = &sum
			}
		}
	}
	return out
}

// KeptOutByTasks is how many tokens the tasks of a log read and wrote without adding them to it: all except their answers.
func KeptOutByTasks(log []Event) int {
	total := 0
	for i := range log {
		if b, ok := log[i].Body.(TaskEnded); ok {
			total += max(0, b.Tokens)
		}
	}
	return total
}

// InterruptedTask returns the text for the model that a task was interrupted, and how to continue it.
func InterruptedTask(id string) string { return "interrupted, continue: " + id + " goes on with it" }

// TaskUsage is what a sub-conversation used since the parent last accounted for it.
type TaskUsage struct {
	Through  uint64 // Seq of the newest event
	Size     Size   // of the messages
	Usage    Usage  // of all requests in one
	Requests int
}

// TaskUsageAfter adds up what a sub-conversation used after the event with Seq through.
func TaskUsageAfter(log []Event, through uint64) TaskUsage {
	s := TaskUsage{Through: through, Usage: Usage{Purpose: PurposeTask}}
	for _, e := range log {
		if e.Seq <= through {
			continue
		}
		s.Through = e.Seq
		switch b := e.Body.(type) {
		case UserMessage:
			s.Size = s.Size.Plus(b.Size)
		case AssistantMessage:
			s.Size = s.Size.Plus(b.Size).Plus(b.ReasoningSize)
			for _, c := range b.Calls {
				s.Size = s.Size.Plus(c.Size)
			}
		case ToolResult:
			s.Size = s.Size.Plus(b.Size)
		case Usage:
			s.Requests++
			s.Usage.add(b)
		}
	}
	return s
}

func (u *Usage) add(b Usage) {
	u.Prompt += max(0, b.Prompt)
	u.Cached += max(0, b.Cached)
	u.CacheWrite += max(0, b.CacheWrite)
	u.Completion += max(0, b.Completion)
	u.Reasoning += max(0, b.Reasoning)
	if b.CostUSD != nil {
		total := *b.CostUSD
		if u.CostUSD != nil {
			total += *u.CostUSD
		}
		u.CostUSD, u.PriceSource = &total, b.PriceSource
	}
}
