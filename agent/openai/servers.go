package openai

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"plimsoll/conversation"
)

// Answers to requests that only one kind of server knows.

// readProps reads llama.cpp's /props, which has the window of one slot.
func readProps(body []byte, _ string) answer {
	var p struct {
		Settings struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(body, &p) != nil || p.Settings.Window <= 0 {
		return answer{}
	}
	return answer{window: p.Settings.Window, inEffect: true, server: "llamacpp"}
}

// readPS reads Ollama's /api/ps: the models in memory with their windows. Another model has no window yet.
func readPS(body []byte, model string) answer {
	var ps struct {
		Models []struct {
			Name   string `json:"name"`
			Model  string `json:"model"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	if json.Unmarshal(body, &ps) != nil || ps.Models == nil {
		return answer{}
	}
	a := answer{server: "ollama", askAgain: true, loaded: []string{}}
	for _, m := range ps.Models {
		a.loaded = append(a.loaded, cmp.Or(m.Name, m.Model))
		if m.Window > 0 && (sameModel(m.Name, model) || sameModel(m.Model, model)) {
			a.window, a.inEffect, a.askAgain = m.Window, true, false
		}
	}
	return a
}

// showQuestion returns the request for Ollama's details of a model.
func showQuestion(base, model string) question {
	body, _ := conversation.EncodeJSON(map[string]string{"model": model}) // strings always have a JSON form
	return question{url: strings.TrimSuffix(base, "/v1") + "/api/show", body: string(body), read: readShow}
}

// readShow reads Ollama's /api/show. It uses num_ctx; context_length is only the window that the model was trained for.
func readShow(body []byte, _ string) answer {
	var s struct {
		Parameters string `json:"parameters"`
	}
	if json.Unmarshal(body, &s) != nil {
		return answer{}
	}
	for line := range strings.Lines(s.Parameters) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil && n > 0 {
				return answer{window: n, server: "ollama"}
			}
		}
	}
	return answer{}
}

// readLMStudio reads LM Studio's list of models, with the windows of those in memory.
func readLMStudio(body []byte, model string) answer {
	var list struct {
		Models []struct {
			Key       string `json:"key"` // "" in another server's list
			Max       int    `json:"max_context_length"`
			Instances []struct {
				ID     string `json:"id"`
				Config struct {
					Window int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if json.Unmarshal(body, &list) != nil {
		return answer{}
	}
	var a answer
	for _, m := range list.Models {
		if m.Key == "" {
			continue
		}
		if a.server == "" {
			a = readList(body, "")
			a.server, a.loaded = "lmstudio", []string{}
		}
		matches, window := sameModel(m.Key, model), 0
		for _, in := range m.Instances {
			matches = matches || sameModel(in.ID, model)
			window = max(window, in.Config.Window)
		}
		if len(m.Instances) > 0 {
			a.loaded = append(a.loaded, m.Key)
		}
		if matches {
			a.window, a.inEffect, a.askAgain = cmp.Or(window, m.Max), window > 0, window == 0
		}
	}
	return a
}

func readLiteLLM(body []byte, model string) answer {
	var list struct {
		Data []struct {
			Name string `json:"model_name"`
			Info struct {
				MaxIn  int `json:"max_input_tokens"`
				MaxOut int `json:"max_output_tokens"`
			} `json:"model_info"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil {
		return answer{}
	}
	for _, m := range list.Data {
		if m.Name != "" && sameModel(m.Name, model) {
			return answer{window: m.Info.MaxIn, maxOut: m.Info.MaxOut, server: "litellm"}
		}
	}
	return answer{}
}
