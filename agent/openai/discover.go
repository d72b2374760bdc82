package openai

import (
	"cmp"
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

	named bool // the server named its software
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
	o.Answer = keyTime
	if c := New(o); c.endpoint.Name == "openrouter" { // its list of models needs no key
		return c.askOne(ctx, question{url: c.opts.BaseURL + "/key", read: func([]byte, string) answer { return answer{} }}, "").err
	}
	_, err := Discover(ctx, o, "")
	return err
}

// Discover asks an endpoint for its models and, if model is not "", for that model's window. If no request succeeds, the
// error is that of the request for the list of models.
func Discover(ctx context.Context, o Options, model string) (Discovery, error) {
	c := New(o)
	if c.opts.renewer != nil { // key_command may take longer than a request of discovery
		if _, err := c.opts.renewer.newKey(ctx, ""); err != nil {
			return Discovery{}, err
		}
	}
	e, base := c.endpoint, c.opts.BaseURL
	asked := questions(e.Endpoint, c.opts.Wire, base, model)
	answers := make([]answer, len(asked)) // in the order of the questions
	var all sync.WaitGroup
	for i, q := range asked {
		all.Go(func() { answers[i] = c.askOne(ctx, q, model) })
	}
	all.Wait()
	found := merge(answers, model)
	if found.Server == "ollama" && e.Name != "ollama" && model != "" && found.Window == 0 {
		// An Ollama under another provider name: only Ollama has this request.
		answers = append(answers, c.askOne(ctx, showQuestion(base, model), model))
		found = merge(answers, model)
	}
	if found.named = found.Server != ""; !found.named && e.Local && e.Name != "custom" {
		found.Server = e.Name
	}
	for _, a := range answers {
		if a.err == nil {
			return found, nil
		}
	}
	return found, answers[0].err
}

// questions lists the requests that an endpoint may answer. The first one is for the list of models.
func questions(e Endpoint, wire Wire, base, model string) []question {
	root := strings.TrimSuffix(base, "/v1")
	list := question{url: base + "/models", read: readList}
	if wire == WireMessages {
		list.url += "?limit=1000" // all of them on one page
	}
	props := question{url: root + "/props", read: readProps}
	if model != "" { // llama.cpp's router answers for this model without loading it; a server of one model ignores the query
		props.url += "?" + url.Values{"model": {model}, "autoload": {"false"}}.Encode()
	}
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

// merge combines the answers. A window in effect wins over an advertised one; otherwise the earlier question wins.
func merge(answers []answer, model string) Discovery {
	var f Discovery
	for _, a := range answers {
		if richness(a.models) > richness(f.Models) {
			f.Models = a.models
		}
		f.Server = cmp.Or(f.Server, a.server)
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
