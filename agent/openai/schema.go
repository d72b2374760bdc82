package openai

import (
	"fmt"

	"plimsoll/agent/anthropic"
	"plimsoll/conversation"
)

// schemaFields are where each wire has the JSON schema of the reply's text.
var schemaFields = map[Wire]string{
	WireChat:      `{"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":%s}}}`,
	WireResponses: `{"text":{"format":{"type":"json_schema","name":"answer","strict":true,"schema":%s}}}`,
	WireMessages:  `{"output_config":{"format":{"type":"json_schema","schema":%s}}}`,
}

// withSchema returns the JSON to merge into a body: extra, the user's own, over the fields for a schema. The recorded form of a
// body has it, so that the same body can be made again.
func withSchema(extra string, wire Wire, schema conversation.RawJSON) string {
	if len(schema) == 0 {
		return extra
	}
	fields := fmt.Sprintf(schemaFields[wire], schema)
	if extra == "" {
		return fields
	}
	return mergedBody([]string{fields, extra})
}

// RefusesSchema says why a model of a provider takes no schema of its reply, "" if it takes one or that is not known.
func RefusesSchema(provider, model string) string {
	switch {
	case provider == "demo":
		return "the demo model takes no schema"
	case provider == "deepseek":
		return "DeepSeek takes no schema of the reply"
	case anthropic.RefusesSchema(model):
		return "Claude takes a schema of the reply from Opus 4.1, Sonnet 4.5 and Haiku 4.5 on"
	}
	return ""
}
