package config_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"plimsoll/config"
	"plimsoll/docs/docstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite the option tables in docs/configuration.md")

const (
	exampleFile = "../config.yaml.example"
	docsFile    = "../docs/configuration.md"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestExampleFileIsTheDefaults(t *testing.T) {
	t.Parallel()
	loaded := load(t, config.LoadOptions{File: exampleFile})
	if diff := cmp.Diff(config.Default(), loaded.Config, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("config.yaml.example differs from Default() (-default +example):\n%s", diff)
	}
	for key := range loaded.Origins {
		if strings.HasPrefix(key, "compaction.") && key != "compaction.preset" {
			t.Errorf("config.yaml.example sets %s, which wins over a preset that is chosen in it", key)
		}
	}
}

func uncommentSettings(example string) string {
	setting := regexp.MustCompile(`(?m)^(\s*)#( {2,})?([^\s#]|# )`)
	return setting.ReplaceAllString(example, "$1$2$3")
}

var mapNames = strings.NewReplacer(
	"providers.local", "providers.NAME", ".models.qwen3-coder", ".models.ID", ".headers.X-Team", ".headers.HEADER",
	"profiles.tidy", "profiles.NAME", "profiles.brief", "profiles.NAME", "tools.cargo_test.parameters.filter", "tools.NAME.parameters.PARAMETER", "tools.cargo_test.parameters.release", "tools.NAME.parameters.PARAMETER",
	"tools.cargo_test", "tools.NAME", "mcp.files.env.FILES_TOKEN", "mcp.SERVER.env.NAME", "mcp.tracker.headers.X-Team", "mcp.SERVER.headers.NAME",
	"mcp.files", "mcp.SERVER", "mcp.tracker", "mcp.SERVER",
	`models."local/qwen3-coder"`, "models.NAME", "tool_identifier_fields.read_file", "tool_identifier_fields.TOOL", "ui.keys.search", "ui.keys.ACTION",
)

func TestExampleFileHasEveryKey(t *testing.T) {
	t.Parallel()
	loaded := load(t, config.LoadOptions{File: write(t, t.TempDir(), "config.yaml", uncommentSettings(read(t, exampleFile)))})
	written := map[string]bool{}
	for key := range loaded.Origins {
		written[mapNames.Replace(key)] = true
	}
	got, want := loaded.Config.Compaction, config.Default().Compaction
	got.Profiles, got.Dedupe.ToolIdentifierFields = nil, nil // the examples
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the commented settings of config.yaml.example differ from Default() (-default +example):\n%s", diff)
	}
	for _, o := range config.Options() {
		if o.Type == "" || !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("incomplete: %+v", o)
		}
		found := written[o.Key]
		for key := range written {
			found = found || strings.HasPrefix(key, o.Key+".")
		}
		if !found {
			t.Errorf("config.yaml.example does not show %s", o.Key)
		}
	}
}

func TestDocumentedOptionsAreTheStruct(t *testing.T) {
	t.Parallel()
	docstest.Part(t, docsFile, "options", markdown(config.Options()), *update)
}

// markdown formats options as the tables of docs/configuration.md, one for each top-level key.
func markdown(options []config.Option) string {
	var b strings.Builder
	section := ""
	for _, o := range options {
		top, _, _ := strings.Cut(o.Key, ".")
		if top != section {
			section = top
			fmt.Fprintf(&b, "\n### %s\n\n| key | type | default | meaning |\n| --- | --- | --- | --- |\n", top)
		}
		text := "unset"
		if o.Default != "" {
			text = "`" + o.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Key, o.Type, text, strings.ReplaceAll(o.Doc, "|", `\|`))
	}
	return b.String()
}
