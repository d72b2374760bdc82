package setup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tools/mcp"
)

// MCP servers come from the configuration and from the workspace's .mcp.json, which other clients read too. Rules:
//
//   - .mcp.json counts only after the user's yes to its content. A server of the configuration wins over one of the same name.
//   - A value of env and headers that begins with $ is the environment variable of that name, or else the key that
//     `plimsoll mcp add --key NAME` stored. In .mcp.json ${NAME} and ${NAME:-otherwise} stand anywhere in a value.
//   - A server whose variable is missing is not started, and says which one.

// ServersFile is the file of a workspace that names servers for all clients.
const ServersFile = ".mcp.json"

// maxServersFile is the largest file of servers that is read, in bytes.
const maxServersFile = 256 << 10

// MCPServers returns the configuration's servers by name, with those of a trusted .mcp.json.
func (s *Settings) MCPServers(cfg config.Config) map[string]config.MCPServer {
	all := map[string]config.MCPServer{}
	path := filepath.Join(s.Workspace, ServersFile)
	if data, err := readServersFile(path); err == nil {
		if trusted, _ := s.ContentTrust(string(data)); trusted {
			found, _ := ParseServers(data) // doctor and `plimsoll mcp list` report a file that cannot be read
			for name, server := range found {
				server.OfWorkspace = true
				all[name] = server
			}
		}
	}
	for name, own := range cfg.MCP {
		if found, ok := all[name]; ok && len(own.Command) == 0 && own.URL == "" { // it only changes the one that was found
			own.Command, own.URL, own.Env, own.Headers = found.Command, found.URL, found.Env, found.Headers
			own.Enabled, own.OfWorkspace = cmp.Or(own.Enabled, found.Enabled), true
		}
		for key, origin := range s.Loaded.Load().Origins {
			if origin.Layer == config.LayerWorkspace && strings.HasPrefix(key, config.Path("mcp", name)+".") {
				own.OfWorkspace = true
			}
		}
		if len(own.Command) > 0 || own.URL != "" {
			all[name] = own
		}
	}
	return all
}

// ServerConfigs converts the enabled servers for their client. problems has an entry for each server that lacks a variable.
func (s *Settings) ServerConfigs(cfg config.Config) (configs []mcp.Config, problems map[string]error) {
	problems = map[string]error{}
	all := s.MCPServers(cfg)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		server := all[name]
		if server.Enabled != nil && !*server.Enabled {
			continue
		}
		c := mcp.Config{Name: name, Command: slices.Clone(server.Command), URL: server.URL, OAuth: server.Auth == "oauth",
			Sampling: server.Sampling, Allow: server.Tools.Allow, Deny: server.Tools.Deny, Timeout: server.Timeout}
		var missing []string
		expand := func(value string) string {
			text, unset := s.expand(value)
			missing = append(missing, unset...)
			return text
		}
		resolve := func(table map[string]string) map[string]string {
			out := map[string]string{}
			for key, value := range table {
				out[key] = expand(value)
			}
			return out
		}
		c.Env, c.Headers = resolve(server.Env), resolve(server.Headers)
		if own := cfg.MCP[name]; len(own.Command) == 0 && own.URL == "" {
			for i, word := range c.Command {
				c.Command[i] = expand(word)
			}
			c.URL = expand(c.URL)
		}
		if len(missing) > 0 {
			slices.Sort(missing)
			problems[name] = fmt.Errorf("%s is not set; set it in the environment, or store it with plimsoll mcp add --key %s", strings.Join(slices.Compact(missing), ", "), missing[0])
			continue
		}
		configs = append(configs, c)
	}
	return configs, problems
}

// ServerKey is the name in the key store of a key for servers.
func ServerKey(variable string) string { return "mcp/" + variable }

// expand replaces $NAME, if it is the whole value, and each ${NAME} and ${NAME:-otherwise}. missing names the variables without a
// value.
func (s *Settings) expand(value string) (text string, missing []string) {
	text = replaceVariables(value, func(name, otherwise string) string {
		if v, ok := s.Console.Lookup(name); ok && v != "" {
			return v
		}
		if v, _, err := s.Keys().Get(ServerKey(name)); err == nil && v != "" {
			return v
		}
		if otherwise == "" {
			missing = append(missing, name)
		}
		return otherwise
	})
	return text, missing
}

// replaceVariables replaces the variables of a value by what lookup returns for a name and the text to use otherwise.
func replaceVariables(value string, lookup func(name, otherwise string) string) string {
	if name, ok := strings.CutPrefix(value, "$"); ok && isVariable(name) {
		return lookup(name, "")
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(value, "${")
		inside, after, closed := strings.Cut(rest, "}")
		name, otherwise, _ := strings.Cut(inside, ":-")
		if !found || !closed || !isVariable(name) {
			out.WriteString(value)
			return out.String()
		}
		out.WriteString(before + lookup(name, otherwise))
		value = after
	}
}

func isVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// notSecret are variables that servers use for folders and names. Commands need them.
var notSecret = []string{"HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER"}

// serverVariables lists the variables that servers use for what may be secret: commands of the model do not get them.
func serverVariables(servers map[string]config.MCPServer) []string {
	var names []string
	for _, s := range servers {
		values := append(slices.Clone(s.Command), s.URL)
		values = slices.AppendSeq(slices.AppendSeq(values, maps.Values(s.Env)), maps.Values(s.Headers))
		for _, value := range values {
			replaceVariables(value, func(name, _ string) string {
				if !slices.Contains(notSecret, name) {
					names = append(names, name)
				}
				return ""
			})
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func readServersFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxServersFile:
		return nil, fmt.Errorf("%s is no file of at most %d KiB", path, maxServersFile>>10)
	}
	return os.ReadFile(path)
}

// workspaceServers is the workspace's .mcp.json, if there is one.
func (s *Settings) workspaceServers() []WorkspaceContent {
	path := filepath.Join(s.Workspace, ServersFile)
	data, err := readServersFile(path)
	if err != nil || s.Workspace == "" {
		return nil
	}
	if servers, err := ParseServers(data); err != nil || len(servers) == 0 {
		return nil
	}
	return []WorkspaceContent{{Path: path, Text: string(data), Why: "names servers, which are started or sent data"}}
}

// ServersFiles lists the files of the user in which other clients name servers.
func (s *Settings) ServersFiles() []string {
	home := s.Console.Getenv("HOME")
	var out []string
	for _, path := range []string{
		filepath.Join(home, ".claude.json"), filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(home, ".gemini", "settings.json"),
		filepath.Join(home, ".config", "crush", "crush.json"), filepath.Join(home, ".config", "opencode", "opencode.json"),
		filepath.Join(s.Workspace, ".cursor", "mcp.json"), filepath.Join(s.Workspace, ".vscode", "mcp.json"),
	} {
		if servers, err := ReadServers(path); err == nil && len(servers) > 0 {
			out = append(out, path)
		}
	}
	return out
}

// otherClients stands for the workspace in the stored decision about files of other clients.
const otherClients = "files of other clients"

// OfferServers describes the servers in files of other clients, each content of a file once.
func (s *Settings) OfferServers() (notes []string) {
	told := s.TrustOf(otherClients).Contents
	var contents []WorkspaceContent
	for _, path := range s.ServersFiles() {
		servers, _ := ReadServers(path)     // it could be read just now
		content, _ := json.Marshal(servers) // without the values of variables and headers
		c := WorkspaceContent{Path: path, Text: path + string(content)}
		if _, known := told[conversation.ContentHash(c.Text)]; !known {
			contents = append(contents, c)
			names := strings.Join(slices.Sorted(maps.Keys(servers)), ", ")
			notes = append(notes, fmt.Sprintf("%s names MCP servers (%s); `plimsoll mcp add --from %[1]s` takes them over", s.Console.Home(path), names))
		}
	}
	if len(contents) > 0 {
		if err := s.StoreTrust(Trust{Workspace: otherClients}, contents...); err != nil {
			return nil // they would be offered at each start
		}
	}
	return notes
}

// ReadServers reads the servers that a file of another client names.
func ReadServers(path string) (map[string]config.MCPServer, error) {
	data, err := readServersFile(path)
	if err != nil {
		return nil, err
	}
	servers, err := ParseServers(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return servers, nil
}

// serverEntry is a server as other clients write it.
type serverEntry struct {
	Command          json.RawMessage // a program, or a list with its arguments
	Args             []string
	Env, Environment map[string]string
	URL, HTTPURL     string
	Headers          map[string]string
	Disabled         bool
	Enabled          *bool
}

// ParseServers reads JSON in which clients name servers: under mcpServers (Claude Code, Cursor, Gemini), servers (VS Code) or mcp
// (opencode, Crush). Entries that are neither a program nor an address, and names that rules could not hold, are left out.
func ParseServers(data []byte) (map[string]config.MCPServer, error) {
	var file struct {
		MCPServers, Servers, MCP map[string]serverEntry
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("it is no JSON with servers: %w", err)
	}
	all := map[string]config.MCPServer{}
	for _, table := range []map[string]serverEntry{file.MCP, file.Servers, file.MCPServers} {
		for name, entry := range table {
			var words []string
			if json.Unmarshal(entry.Command, &words) != nil {
				var program string
				if json.Unmarshal(entry.Command, &program) == nil && program != "" {
					words = append([]string{program}, entry.Args...)
				}
			}
			server := config.MCPServer{Command: words, URL: cmp.Or(entry.URL, entry.HTTPURL), Headers: entry.Headers, Env: entry.Env, Enabled: entry.Enabled}
			if len(server.Env) == 0 {
				server.Env = entry.Environment
			}
			if entry.Disabled {
				server.Enabled = new(false)
			}
			if (len(words) == 0) == (server.URL == "") || !config.IsWord(name) {
				continue
			}
			all[name] = server
		}
	}
	return all, nil
}

// ServerLogins keeps the logins at servers with the keys.
func (s *Settings) ServerLogins() mcp.TokenStore { return serverLogins{s} }

type serverLogins struct{ settings *Settings }

func (l serverLogins) Load(url string) ([]byte, error) {
	text, _, err := l.settings.Keys().Get("mcp " + url)
	return []byte(text), err
}

func (l serverLogins) Save(url string, login []byte) error {
	_, err := l.settings.Keys().Set("mcp "+url, string(login))
	return err
}
