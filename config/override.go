package config

import "strings"

// parseOverride reads one KEY=VALUE, of --cfg or of a conversation, into a document. The key is dotted ([Path]), the value YAML; nothing after
// the = is the empty text.
func parseOverride(layer Layer, text string) (*source, *node, Problems) {
	src := &source{name: string(layer), lines: []string{strings.ReplaceAll(text, "\n", " ")}, whole: true}
	if _, p := checkText(src.name, []byte(text)); p != nil {
		p.Line, p.Column = 0, 0
		return src, nil, Problems{p}
	}
	segments, rest, err := cutPath(text)
	if err != nil {
		return src, nil, Problems{src.problem(0, 0, "", err.Error(), "write KEY=VALUE, such as --cfg compaction.trigger_ratio=0.7")}
	}
	value := &node{kind: textNode, value: ""}
	if strings.TrimSpace(rest) != "" {
		parsed, problems := parseText(src, rest)
		if len(problems) > 0 {
			return src, nil, problems
		}
		if parsed != nil {
			value = parsed
		}
	}
	for i := len(segments) - 1; i >= 0; i-- {
		value = &node{kind: tableNode, entries: []entry{{key: segments[i], value: value, line: 1, col: 1}}, line: 1, col: 1}
	}
	return src, value, nil
}
