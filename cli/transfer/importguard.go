package transfer

import (
	"slices"
	"strings"

	"plimsoll/agent/openai"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/conversation"
)

// What a document may decide about the imported conversation. Rules:
//
//   - the address of an unknown endpoint is left out, unless it is on this machine: otherwise a file could decide where the
//     conversation and the key are sent
//   - settings of compaction, window and tool results are imported; those of models, instructions, permissions and tools are
//     left out

// omissions lists the addresses and settings that an import left out, each once.
type omissions struct {
	addresses []string // as provider/id at host
	settings  []string // keys
}

// omitUnsafe returns an event's body without addresses and settings that only the user may decide.
func (l *omissions) omitUnsafe(body conversation.Body) conversation.Body {
	switch b := body.(type) {
	case conversation.ModelChanged:
		if e, _ := openai.KnownProvider(b.Provider); e.BaseURL != "" || b.BaseURL == "" || setup.IsLoopback(b.BaseURL) {
			return b // for a provider with a fixed address the recorded one is only compared
		}
		addUnique(&l.addresses, b.Name()+" at "+setup.HostOf(b.BaseURL))
		b.BaseURL = ""
		return b
	case conversation.ConfigChanged:
		kept := map[string]string{}
		for key, value := range b.Set {
			if isImportable(key) {
				kept[key] = value
			} else {
				addUnique(&l.settings, key)
			}
		}
		return conversation.ConfigChanged{Set: kept}
	}
	return body
}

// isImportable reports whether a document may set a key. Tables are never imported.
func isImportable(key string) bool {
	if key == "compaction.summary.model" || key == "compaction.summary.instructions" {
		return false
	}
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"compaction", "context", "tool_results"}, section) &&
		slices.ContainsFunc(config.Options(), func(o config.Option) bool { return o.Key == key && o.Type != "table" })
}

// notes say what was left out, and how the user can set it.
func (l *omissions) notes() []string {
	var notes []string
	if len(l.addresses) > 0 {
		notes = append(notes, "the address of "+strings.Join(l.addresses, ", ")+" is left out; --base-url URL sends the conversation there")
	}
	if len(l.settings) > 0 {
		slices.Sort(l.settings)
		notes = append(notes, "settings that only you can make are left out: "+strings.Join(l.settings, ", ")+"; --cfg KEY=VALUE sets them")
	}
	return notes
}

func addUnique(list *[]string, text string) {
	if !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}
