package openai

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Finding out what a server has. All questions are asked at once, each with a time
// limit of its own; a server that does not answer one does not have that interface.
// The window in effect (as loaded, per slot) wins over the advertised one. What a
// model was trained for is not taken for a window.

// Found is what an endpoint says of itself and of one model.
type Found struct {
	Window int    // tokens a request may have, 0 if it does not say
	MaxOut int    // largest reply in tokens, 0 if it does not say
	Server string // the software by its own account: llamacpp, ollama, lmstudio, vllm ...; "" if it does not say
	// AskAgain says that the window depends on how the model gets loaded:
	// ask once more after the first reply.
	AskAgain bool
	Models   []Listed // as the server lists them; nil if it lists none
}

// First is the first listed model that is fit for chat, one that is loaded
// before all others.
func (f Found) First() (Listed, bool) {
	for _, loaded := range []bool{true, false} {
		for _, m := range f.Models {
			if m.Chat && (m.Loaded || !loaded) {
				return m, true
			}
		}
	}
	return Listed{}, false
}

// Listed finds a model by its id or an alias.
func (f Found) Listed(id string) (Listed, bool) {
	for _, m := range f.Models {
		if slices.ContainsFunc(append([]string{m.ID}, m.Aliases...), func(name string) bool { return sameModel(name, id) }) {
			return m, true
		}
	}
	return Listed{}, false
}

// sameModel compares ids as Ollama does: no tag means latest.
func sameModel(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}

// CheckKey asks an endpoint something that costs nothing and that it answers only to who has a key. The error is its
// refusal, or says that it was not reached.
func CheckKey(ctx context.Context, o Options) error {
	e := resolve(&o)
	o.Answer = keyTime
	if e.Name == "openrouter" { // whose list of models is public
		p := prober{opts: o, who: newEndpoint(o, e), client: o.client()}
		return p.one(ctx, question{url: o.BaseURL + "/key", read: func([]byte, string) answer { return answer{} }}).err
	}
	_, err := Discover(ctx, o, "")
	return err
}

// Discover asks an endpoint for its models and, if model is not "", for that
// model's window. The error is the answer to the request for the list, if
// nothing else answered either.
func Discover(ctx context.Context, o Options, model string) (Found, error) {
	found, _, err := discover(ctx, o, model)
	return found, err
}

// discover is Discover; named says that the server told which software it is.
func discover(ctx context.Context, o Options, model string) (found Found, named bool, err error) {
	e := resolve(&o)
	if o.renewed != nil { // a program may take longer than a question may
		if _, err := o.renewed.get(ctx, ""); err != nil {
			return Found{}, false, err
		}
	}
	p := prober{opts: o, model: model, who: newEndpoint(o, e), client: o.client()}
	answers := p.ask(ctx, questions(e, o.Wire, o.BaseURL, model))
	found = merge(answers, model)
	named = found.Server != ""
	if found.Server == "ollama" && e.Name != "ollama" && model != "" && found.Window == 0 {
		// An Ollama under another name: only it has this question.
		answers = append(answers, p.ask(ctx, []question{showQuestion(o.BaseURL, model)})...)
		found = merge(answers, model)
	}
	if !named && e.Local && e.Name != "custom" {
		found.Server = e.Name
	}
	for _, a := range answers {
		if a.err == nil {
			return found, named, nil
		}
	}
	return found, named, answers[0].err
}

func (p prober) ask(ctx context.Context, questions []question) []answer {
	answers := make([]answer, len(questions))
	var all sync.WaitGroup
	for i, q := range questions {
		all.Go(func() {
			answers[i] = p.one(ctx, q)
		})
	}
	all.Wait()
	return answers
}

func questions(e Endpoint, wire Wire, base, model string) []question {
	root := strings.TrimSuffix(base, "/v1")
	list := question{url: base + "/models", read: readList}
	if wire == WireMessages {
		list.url += "?limit=1000" // all of them on one page
	}
	props := question{url: root + "/props" + ofRouter(model), read: readProps}
	ps := question{url: root + "/api/ps", read: readPS}
	lm1 := question{url: root + "/api/v1/models", read: readLMStudio}
	out := []question{list}
	switch e.Name {
	case "gemini":
		native := strings.TrimSuffix(base, "/openai") + "/models?pageSize=1000"
		return append(out, question{url: native, read: readList})
	case "ollama":
		out = append(out, ps)
		if model != "" {
			out = append(out, showQuestion(base, model))
		}
	case "lmstudio":
		out = append(out, lm1)
	case "llamacpp":
		out = append(out, props)
	default:
		if e.Local && e.Name != "vllm" || e.BaseURL == "" {
			out = append(out, props, ps, lm1, question{url: root + "/model/info", read: readLiteLLM})
		}
	}
	return out
}

// ofRouter is the query by which llama.cpp's router answers for one model, if that is
// in memory. A server of one model ignores it.
func ofRouter(model string) string {
	if model == "" {
		return ""
	}
	return "?" + url.Values{"model": {model}, "autoload": {"false"}}.Encode()
}

// merge makes one finding of the answers. A window in effect beats one that is
// advertised; among equals the earlier question wins.
func merge(answers []answer, model string) Found {
	var f Found
	for _, a := range answers {
		if richness(a.models) > richness(f.Models) {
			f.Models = a.models
		}
		if f.Server == "" {
			f.Server = a.server
		}
		f.AskAgain = f.AskAgain || a.again
	}
	markLoaded(f.Models, answers)
	m, listed := f.Listed(model)
	if listed {
		f.MaxOut = m.MaxOut
	}
	for _, strong := range []bool{true, false} {
		for _, a := range answers {
			if a.strong == strong && a.window > 0 && f.Window == 0 {
				f.Window = a.window
				f.MaxOut = max(f.MaxOut, a.maxOut)
			}
		}
		if strong && f.Window == 0 && listed && m.Window > 0 {
			f.Window = m.Window
		}
	}
	f.AskAgain = model != "" && (f.AskAgain || f.Server == "llamacpp" && f.Window == 0)
	return f
}

// richness prefers the list that says most: a server's own list over the one
// in OpenAI's form, which is ids only.
func richness(models []Listed) int {
	n := len(models)
	for _, m := range models {
		if m.Window > 0 {
			n += 1000
		}
	}
	return n
}

// markLoaded notes which models are in memory. Where no server says so, all count as loaded.
func markLoaded(models []Listed, answers []answer) {
	reported := false
	loaded := map[string]bool{}
	for _, a := range answers {
		reported = reported || a.loaded != nil
		for _, id := range a.loaded {
			loaded[strings.ToLower(strings.TrimSuffix(id, ":latest"))] = true
		}
	}
	for i := range models {
		m := &models[i]
		m.Loaded = !reported || loaded[strings.ToLower(strings.TrimSuffix(m.ID, ":latest"))]
	}
}
