package adachsoft_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset/adachsoft"
)

func TestDedupeParamsByTheirNamesInTheSeed(t *testing.T) {
	t.Parallel()
	var raw map[string]any
	text := `{"inputTrimBytes":50,"outputTrimBytes":0,"excludedTools":["todo"],"toolIdentifierFields":{"read_file_content":["path","position","length"]},"more":1}`
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	want := adachsoft.Params{
		Enabled: true, InputTrimBytes: 50, OutputTrimBytes: 0, ExcludedTools: []string{"todo"},
		ToolIdentifierFields: map[string][]string{"read_file_content": {"path", "position", "length"}},
	}
	if diff := cmp.Diff(want, adachsoft.ParseParams(raw)); diff != "" {
		t.Error(diff)
	}
}

func TestDedupeParamsOfWrongTypesAreTheDefaults(t *testing.T) {
	t.Parallel()
	def := adachsoft.Params{
		Enabled: true, InputTrimBytes: 100, OutputTrimBytes: 100, ExcludedTools: []string{}, ToolIdentifierFields: map[string][]string{},
	}
	if diff := cmp.Diff(def, adachsoft.ParseParams(nil)); diff != "" {
		t.Fatalf("without parameters:\n%s", diff)
	}
	wrong := map[string]any{
		"nil": nil, "a flag": true, "text": "100", "a fraction": 0.5, "not a number": math.NaN(), "infinity": math.Inf(1),
		"a huge float": 1e300, "a huge number": uint64(math.MaxUint64), "a negative": -1, "a number of text": json.Number("x"),
		"a fraction of text": json.Number("1.5"), "a function": func() {}, "a channel": make(chan int), "a byte": []byte("x"),
		"lists in a list": []any{[]any{"x"}}, "numbers in a list": []any{1, nil, true}, "a map of texts": map[string]string{"f": "x"},
		"maps by anything": map[any]any{"f": []any{"x"}}, "a map of wrong lists": map[string]any{"f": "x", "g": nil, "h": []any{1}, "i": []any{}},
	}
	for name, v := range wrong {
		for _, param := range []string{"inputTrimBytes", "outputTrimBytes", "excludedTools", "toolIdentifierFields"} {
			if diff := cmp.Diff(def, adachsoft.ParseParams(map[string]any{param: v})); diff != "" {
				t.Errorf("%s as %s:\n%s", param, name, diff)
			}
		}
	}
}

func TestDedupeParamsKeepWhatIsRightBesideWhatIsWrong(t *testing.T) {
	t.Parallel()
	raw := map[string]any{
		"inputTrimBytes":  json.Number("7"),
		"outputTrimBytes": "many",
		"excludedTools":   []any{"a", 1, nil, "b"},
		"toolIdentifierFields": map[string]any{
			"f": []any{"x", 2.5, "y"}, "g": "path", "h": []any{[]any{"x"}}, "i": []string{"z"},
		},
	}
	want := adachsoft.Params{
		Enabled: true, InputTrimBytes: 7, OutputTrimBytes: 100, ExcludedTools: []string{"a", "b"},
		ToolIdentifierFields: map[string][]string{"f": {"x", "y"}, "i": {"z"}},
	}
	if diff := cmp.Diff(want, adachsoft.ParseParams(raw)); diff != "" {
		t.Error(diff)
	}
}

func TestDedupeParamsTakeAnyWholeNumberForAnAmount(t *testing.T) {
	t.Parallel()
	for _, v := range []any{30, int32(30), int64(30), uint32(30), uint64(30), 30.0, json.Number("30")} {
		if got := adachsoft.ParseParams(map[string]any{"inputTrimBytes": v}).InputTrimBytes; got != 30 {
			t.Errorf("%T: %d", v, got)
		}
	}
}

func TestDedupeParamsShareNothingWithWhatTheyWereReadFrom(t *testing.T) {
	t.Parallel()
	tools, fields := []string{"a"}, map[string][]string{"f": {"x"}}
	p := adachsoft.ParseParams(map[string]any{"excludedTools": tools, "toolIdentifierFields": fields})
	tools[0], fields["f"][0] = "changed", "changed"
	fields["g"] = []string{"y"}
	if p.ExcludedTools[0] != "a" || p.ToolIdentifierFields["f"][0] != "x" || len(p.ToolIdentifierFields) != 1 {
		t.Errorf("%+v", p)
	}
}
