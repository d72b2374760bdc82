package storage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/storage"
)

// BenchmarkSearch searches conversations of a megabyte each, as long as
// PLIMSOLL_SEARCH_MB says, 64 MB unless told. Budget for 1024 MB on two cores with a
// warm page cache: under 5 s for any query, the aim is 2 s; first-ms says when the
// first hit came.
func BenchmarkSearch(b *testing.B) {
	s, size := library(b)
	for _, c := range []struct{ name, query string }{
		{"rare word", "quaternion"},
		{"frequent word", "error"},
		{"frequent word, no limit", "error"},
		{"phrase", `"port is already in use"`},
		{"three words", "quaternion rotates camera"},
		{"Chinese", "四元数"},
		{"does not occur", "xylophonist"},
		{"name of a field", "call_id"},
		{"name of a tool", "run_command"},
	} {
		q, err := find.Parse(c.query)
		must(b, err)
		o := storage.SearchOptions{}
		if strings.HasSuffix(c.name, "no limit") {
			o = storage.SearchOptions{Limit: 1 << 30, PerConversation: 1 << 30}
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size)
			hits, first := 0, time.Duration(0)
			for b.Loop() {
				begun := time.Now()
				hits, first = 0, 0
				_, err := s.Search(b.Context(), q, o, func(find.Hit) bool {
					if hits++; hits == 1 {
						first = time.Since(begun)
					}
					return true
				})
				must(b, err)
			}
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
		})
	}
}

// library is a store of conversations, and how many bytes their events have as JSON.
func library(b *testing.B) (*storage.Store, int64) {
	megabytes := 64
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_SEARCH_MB")); err == nil && n > 0 {
		megabytes = n
	}
	s := reopenStore(b, filepath.Join(b.TempDir(), "data"), storage.Options{})
	conversations := max(1, megabytes*1000/1024)
	a := author{rand.New(rand.NewPCG(1, 2))}
	size := 0
	for i := range conversations {
		size += a.write(b, s, i, conversations)
	}
	_ = must1(b)(s.List(b.Context(), storage.Filter{})) // makes the index
	return s, int64(size)
}

// author makes up conversations.
type author struct{ *rand.Rand }

// write stores one conversation of about a megabyte: prose, code, output, a little
// Chinese, and a long result that was cut. It returns the bytes of its events.
func (a author) write(b *testing.B, s *storage.Store, n, of int) (size int) {
	const digits = "abcdefghijklmnopqrstuvwxyz"
	id := fmt.Sprintf("%c%c%caaaaaaaaa", digits[n/676%26], digits[n/26%26], digits[n%26])
	w, err := s.Create(b.Context(), storage.NewConversation{ID: id, Workspace: fmt.Sprint("/w", n%5)})
	must(b, err)
	full := a.code(300_000)
	blob, err := w.PutBlob(b.Context(), full)
	must(b, err)
	shown, total := conversation.Cut(full, 30_000)
	bodies := []conversation.Body{conversation.UserMessage{Text: a.prose(300)}, conversation.ToolResult{CallID: "c", Tool: "run_command",
		Status: conversation.ResultOK, Text: shown, Total: total, Blob: blob}}
	for said := len(shown); said < 1_000_000; {
		user, text, think, output := a.prose(200), a.prose(1500), a.prose(2500), a.code(1000+a.IntN(12_000))
		if a.IntN(8) == 0 {
			user, text = a.chinese(100), a.chinese(600)
		}
		if a.IntN(300) == 0 {
			output += "listen tcp :8080: port is already in use\n"
		}
		call := conversation.ToolCall{ID: "call_" + strconv.Itoa(len(bodies)), Name: "run_command",
			Arguments: `{"command":"go test ./upload -count=10","timeout":60}`}
		bodies = append(bodies, conversation.UserMessage{Text: user},
			conversation.AssistantMessage{Reasoning: think, Calls: []conversation.ToolCall{call}, Stop: conversation.StopCalls, Model: "openai/gpt-5"},
			conversation.Usage{Reply: uint64(len(bodies) + 2), Model: "openai/gpt-5", Prompt: 1, BodyHash: strings.Repeat("a", 64)},
			conversation.ToolResult{CallID: call.ID, Tool: call.Name, Status: conversation.ResultOK, Text: output, Detail: "exit 0"},
			conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd, Model: "openai/gpt-5"})
		said += len(user) + len(text) + len(think) + len(output)*11/10 + 1000
	}
	if n == of/2 {
		bodies = append(bodies, conversation.UserMessage{Text: "The quaternion rotates the camera: 四元数."})
	}
	var l conversation.Log
	events := l.Prepare(start.Add(time.Duration(n)*time.Hour), bodies...)
	must(b, w.Append(b.Context(), events))
	must(b, w.Close())
	for _, e := range events {
		raw, err := conversation.Marshal(e)
		must(b, err)
		size += len(raw)
	}
	return size
}

var (
	proseWords = strings.Fields(`the the the of and and to to in is it that was for on are with as at be this have from or one had by
		but not what all were when we there can an your which their said if do will each about how up out them then she many some so
		these would other into has more two like him see time could no make than first been its who now people my made over did down
		only way find use may water long little very after words called just where most know test port server run fails returns error
		value request handler because between second shares state retry connection closed before buffer client upload`)
	codeNames = strings.Fields(`err ctx req resp server handler client buffer index count total result value name path file line
		state config options session user token cache entry node parent child length offset reader writer timeout retry status`)
	hanzi = []rune("测试在两次运行之间共享一个端口所以第二现已被占用而失败我们需要修改代码使每都空闲的这里问题是服务器没有关闭连接请先看看日志文件")
)

func (a author) pick(words []string) string { return words[a.IntN(len(words))] }

func (a author) prose(size int) string {
	var b strings.Builder
	for b.Len() < size {
		for range 6 + a.IntN(12) {
			b.WriteString(a.pick(proseWords) + " ")
		}
		b.WriteString(a.pick(proseWords) + ". ")
		if a.IntN(5) == 0 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

func (a author) code(size int) string {
	var b strings.Builder
	for b.Len() < size {
		x, y := a.pick(codeNames), a.pick(codeNames)
		fmt.Fprintf(&b, "func (s *%s) %s%d(ctx context.Context, %s string) error {\n\tif %s := s.%s(ctx); %s != nil {\n\t\treturn fmt.Errorf(\"%s %%q: %%w\", %s, err)\n\t}\n\ts.%s[%q] = %d // %s\n\treturn nil\n}\n\n",
			x, y, a.IntN(1000), x, y, a.pick(codeNames), y, a.pick(proseWords), x, a.pick(codeNames), a.pick(codeNames), a.IntN(1<<20), a.prose(30))
	}
	return b.String()
}

func (a author) chinese(chars int) string {
	var b strings.Builder
	for i := range chars {
		b.WriteRune(hanzi[a.IntN(len(hanzi))])
		if i%17 == 16 {
			b.WriteString("，")
		}
	}
	return b.String()
}
