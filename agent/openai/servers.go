package openai

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"plimsoll/conversation"
)

// What single servers answer to questions of their own.

// readProps reads llama.cpp's /props: the window of one slot.
func readProps(body []byte, _ string) answer {
	var p struct {
		Settings struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(body, &p) != nil || p.Settings.Window <= 0 {
		return answer{}
	}
	return answer{window: p.Settings.Window, strong: true, server: "llamacpp"}
}

// readPS reads Ollama's /api/ps: the models in memory with the windows they
// were loaded with. A model that is not loaded has no window yet.
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
	a := answer{server: "ollama", again: true, loaded: []string{}}
	for _, m := range ps.Models {
		a.loaded = append(a.loaded, cmp.Or(m.Name, m.Model))
		if m.Window > 0 && (sameModel(m.Name, model) || sameModel(m.Model, model)) {
			a.window, a.strong, a.again = m.Window, true, false
		}
	}
	return a
}

func showQuestion(base, model string) question {
	body, err := conversation.EncodeJSON(map[string]string{"model": model})
	if err != nil {
		body = []byte("{}") // a string always has a JSON form
	}
	return question{url: strings.TrimSuffix(base, "/v1") + "/api/show", body: string(body), read: readShow}
}

// readShow reads Ollama's /api/show. Of the windows there only num_ctx counts:
// the other is what the model was trained for.
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
		wanted, window := sameModel(m.Key, model), 0
		for _, in := range m.Instances {
			wanted = wanted || sameModel(in.ID, model)
			window = max(window, in.Config.Window)
		}
		if len(m.Instances) > 0 {
			a.loaded = append(a.loaded, m.Key)
		}
		if wanted {
			a.window, a.strong, a.again = cmp.Or(window, m.Max), window > 0, window == 0
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
