package openai

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Discovery of a server's models and window. All requests go out at once, each with its own time limit; if a server does
// not answer one, it does not have that interface. The window in effect (as loaded, per slot) wins over the advertised
// one. The window that a model was trained for is never used.

// Discovery is what an endpoint reports about itself and about one model.
type Discovery struct {
	Window int    // largest prompt with its reply in tokens, 0 if not reported
	MaxOut int    // largest reply in tokens, 0 if not reported
	Server string // the server software: llamacpp, ollama, lmstudio, vllm ...; "" if not reported
	// AskAgain means that the server fixes the window when it loads the model: ask again after the first reply.
	AskAgain bool
	Models   []ListedModel // in the server's order; nil if it lists none
}

// FirstChatModel returns the first listed chat model. A model in memory comes before all others.
func (f Discovery) FirstChatModel() (ListedModel, bool) {
	for _, loaded := range []bool{true, false} {
		for _, m := range f.Models {
			if m.Chat && (m.Loaded || !loaded) {
				return m, true
			}
		}
	}
	return ListedModel{}, false
}

// FindModel returns the listed model with this id or alias.
func (f Discovery) FindModel(id string) (ListedModel, bool) {
	for _, m := range f.Models {
		if slices.ContainsFunc(append([]string{m.ID}, m.Aliases...), func(name string) bool { return sameModel(name, id) }) {
			return m, true
		}
	}
	return ListedModel{}, false
}

// sameModel reports whether two ids are equal as Ollama compares them: without a tag, an id means latest.
func sameModel(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}

// CheckKey sends a request that costs nothing and needs a valid key. The error is the endpoint's refusal or the network's.
func CheckKey(ctx context.Context, o Options) error {
	e := resolve(&o)
	o.Answer = keyTime
	if e.Name == "openrouter" { // its list of models needs no key
		p := prober{opts: o, endpoint: newEndpoint(o, e), client: o.client()}
		return p.askOne(ctx, question{url: o.BaseURL + "/key", read: func([]byte, string) answer { return answer{} }}).err
	}
	_, err := Discover(ctx, o, "")
	return err
}

// Discover asks an endpoint for its models and, if model is not "", for that model's window. If no request succeeds, the
// error is that of the request for the list of models.
func Discover(ctx context.Context, o Options, model string) (Discovery, error) {
	found, _, err := discover(ctx, o, model)
	return found, err
}

// discover is Discover. named reports whether the server named its software.
func discover(ctx context.Context, o Options, model string) (found Discovery, named bool, err error) {
	e := resolve(&o)
	if o.renewer != nil { // key_command may take longer than a request of discovery
		if _, err := o.renewer.newKey(ctx, ""); err != nil {
			return Discovery{}, false, err
		}
	}
	p := prober{opts: o, model: model, endpoint: newEndpoint(o, e), client: o.client()}
	answers := p.ask(ctx, questions(e, o.Wire, o.BaseURL, model))
	found = merge(answers, model)
	named = found.Server != ""
	if found.Server == "ollama" && e.Name != "ollama" && model != "" && found.Window == 0 {
		// An Ollama under another provider name: only Ollama has this request.
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

// ask sends all requests at once. The answers have the order of the questions.
func (p prober) ask(ctx context.Context, questions []question) []answer {
	answers := make([]answer, len(questions))
	var all sync.WaitGroup
	for i, q := range questions {
		all.Go(func() { answers[i] = p.askOne(ctx, q) })
	}
	all.Wait()
	return answers
}

// questions lists the requests that an endpoint may answer. The first one is for the list of models.
func questions(e Endpoint, wire Wire, base, model string) []question {
	root := strings.TrimSuffix(base, "/v1")
	list := question{url: base + "/models", read: readList}
	if wire == WireMessages {
		list.url += "?limit=1000" // all of them on one page
	}
	props := question{url: root + "/props" + routerQuery(model), read: readProps}
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

// routerQuery returns the query that asks llama.cpp's router about one model, without loading it. A server of one model
// ignores the query.
func routerQuery(model string) string {
	if model == "" {
		return ""
	}
	return "?" + url.Values{"model": {model}, "autoload": {"false"}}.Encode()
}

// merge combines the answers. A window in effect wins over an advertised one; otherwise the earlier question wins.
func merge(answers []answer, model string) Discovery {
	var f Discovery
	for _, a := range answers {
		if richness(a.models) > richness(f.Models) {
			f.Models = a.models
		}
		if f.Server == "" {
			f.Server = a.server
		}
		f.AskAgain = f.AskAgain || a.askAgain
	}
	markLoaded(f.Models, answers)
	m, listed := f.FindModel(model)
	if listed {
		f.MaxOut = m.MaxOut
	}
	for _, inEffect := range []bool{true, false} {
		for _, a := range answers {
			if a.inEffect == inEffect && a.window > 0 && f.Window == 0 {
				f.Window = a.window
				f.MaxOut = max(f.MaxOut, a.maxOut)
			}
		}
		if inEffect && f.Window == 0 && listed && m.Window > 0 {
			f.Window = m.Window
		}
	}
	f.AskAgain = model != "" && (f.AskAgain || f.Server == "llamacpp" && f.Window == 0)
	return f
}

// richness ranks lists of models: a list with windows wins over one with ids only.
func richness(models []ListedModel) int {
	n := len(models)
	for _, m := range models {
		if m.Window > 0 {
			n += 1000
		}
	}
	return n
}

// markLoaded sets which models are in memory. If the server does not report that, all count as loaded.
func markLoaded(models []ListedModel, answers []answer) {
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
