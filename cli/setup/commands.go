package setup

import (
	"path/filepath"
	"slices"

	"plimsoll/cli/owncommand"
	"plimsoll/config"
	"plimsoll/tui"
)

// OwnCommands lists the slash commands of the user's own: those of the user's folder, of commands.folders, and of the workspace.
// The error says which files are passed over; the commands are returned with it.
func (s *Settings) OwnCommands() ([]owncommand.Command, error) {
	return owncommand.Find(s.ownFolders("commands", s.Loaded.Load().Config.Commands.Folders), s.Workspace, func(name string) bool {
		for _, c := range tui.Commands() {
			if c.Name == name || slices.Contains(c.Aliases, name) {
				return true
			}
		}
		return false
	})
}

// OwnAgents lists the agents of the user's own: those of the user's folder, of agents.folders, and of the workspace. The error
// says which files are passed over; the agents are returned with it.
func (s *Settings) OwnAgents(cfg config.Config) ([]owncommand.Command, error) {
	return owncommand.Find(s.ownFolders("agents", cfg.Agents.Folders), s.Workspace, func(string) bool { return false })
}

// OfferedAgents lists the agents that a model may use: those of the workspace only after the user's yes to their content.
func (s *Settings) OfferedAgents(cfg config.Config) []owncommand.Command {
	list, _ := s.OwnAgents(cfg) // the list of agents says what could not be read
	return slices.DeleteFunc(list, func(c owncommand.Command) bool {
		trusted, _ := s.ContentTrust(c.Text)
		return c.Origin == owncommand.Workspace && !trusted
	})
}

// ownContents lists the commands and agents of the workspace that need the user's yes.
func (s *Settings) ownContents() (out []WorkspaceContent) {
	add := func(c owncommand.Command, why string) {
		if why != "" && c.Origin == owncommand.Workspace {
			out = append(out, WorkspaceContent{Path: c.Path, Text: c.Text, Why: why})
		}
	}
	commands, _ := s.OwnCommands() // the list of commands says what could not be read
	for _, c := range commands {
		add(c, c.Needs())
	}
	agents, _ := s.OwnAgents(s.Cfg())
	for _, a := range agents {
		add(a, "is an agent, which the model gives tasks to")
	}
	return out
}

// ownFolders are the folders with commands or agents, as kind says, with the configured ones. A configured path is relative to
// the file that sets it; a folder in the workspace is the workspace's, whoever names it.
func (s *Settings) ownFolders(kind string, configured []string) []owncommand.Folder {
	var out []owncommand.Folder
	if s.Paths.Config != "" {
		out = append(out, owncommand.Folder{Path: filepath.Join(s.Paths.Config, kind), Origin: owncommand.User})
	}
	for _, path := range configured {
		path = s.Console.Expand(path, filepath.Dir(s.Loaded.Load().Origins[kind+".folders"].File))
		folder := owncommand.Folder{Path: path, Origin: owncommand.User}
		if rel, ok := s.inWorkspace(path); ok {
			folder = owncommand.Folder{Path: filepath.Join(s.Workspace, rel), Origin: owncommand.Workspace}
		}
		out = append(out, folder)
	}
	for _, name := range []string{".plimsoll", ".claude"} {
		out = append(out, owncommand.Folder{Path: filepath.Join(s.Workspace, name, kind), Origin: owncommand.Workspace})
	}
	return out
}

// inWorkspace returns the path within the workspace, if it is in there, also through links.
func (s *Settings) inWorkspace(path string) (rel string, ok bool) {
	workspace := s.Workspace
	if full, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = full
	}
	if full, err := filepath.EvalSymlinks(path); err == nil {
		path = full
	}
	rel, err := filepath.Rel(workspace, path)
	return rel, err == nil && filepath.IsLocal(rel)
}
