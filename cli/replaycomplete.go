package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/measure"
	"plimsoll/cli/setup"
	"plimsoll/config"
)

// What the shell completes behind replay: recordings, presets and profiles, keys
// to try, sheets. Lists with commas are completed behind the last one.

func (cmd *replayCommand) complete(c *cobra.Command) {
	c.ValidArgsFunction = func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if toComplete != "" && strings.HasPrefix(measure.NewestWord, toComplete) {
			return []string{measure.NewestWord}, cobra.ShellCompDirectiveDefault
		}
		return []string{"jsonl", "json"}, cobra.ShellCompDirectiveFilterFileExt
	}
	complete := func(flag string, f cobra.CompletionFunc) {
		if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
			panic(err) // the flag does not exist
		}
	}
	complete("preset", func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		names := append(setup.PresetNames(), measure.ConfiguredName)
		if cmd.settings.Configure() == nil {
			names = measure.PolicyNames(setup.RulesOf(cmd.settings.Cfg()))
		}
		return completeList(names, toComplete), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	complete("set", func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return settableKeys(toComplete), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	complete("prices", func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return completeList(measure.SheetNames(), toComplete), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	complete("plot", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"svg"}, cobra.ShellCompDirectiveFilterFileExt
	})
}

// settableKeys are the keys that --set takes and that begin with a text, those
// with names of the user's in them left out.
func settableKeys(begin string) []string {
	var out []string
	for _, o := range config.Options() {
		if o.Key == strings.ToLower(o.Key) && o.Type != "table" && measure.Obeyed(o.Key) == nil && strings.HasPrefix(o.Key, begin) {
			out = append(out, o.Key+"=")
		}
	}
	return out
}

// completeList completes the last name of a list, with those that are not in it
// yet.
func completeList(names []string, toComplete string) []string {
	before := toComplete[:strings.LastIndex(toComplete, ",")+1]
	there := strings.Split(before, ",")
	var out []string
	for _, name := range names {
		if !slices.Contains(there, name) && strings.HasPrefix(name, toComplete[len(before):]) {
			out = append(out, before+name)
		}
	}
	return out
}
