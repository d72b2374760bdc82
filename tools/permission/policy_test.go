package permission_test

import (
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// A policy needs no tools: it judges what a call would do.
func TestPolicyJudgesEffects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	tools := []permission.Tool{{"read_file", permission.AccessRead}, {"modify_file", permission.AccessEdit}, {"run_command", permission.AccessCommand}}
	p, err := permission.New(permission.Config{Allow: []string{"run_command(git status)"}, Deny: []string{"run_command(rm *)"}}, tools, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := func(tool string, a permission.Access, name string) permission.Effect {
		at, err := files.Locate(name)
		if err != nil {
			t.Fatal(err)
		}
		return permission.OfFile(tool, a, at)
	}
	for _, c := range []struct {
		effect permission.Effect
		want   conversation.Need
	}{
		{permission.OfCommand("git status"), conversation.NeedNothing},
		{permission.OfCommand("git push"), conversation.NeedApproval},
		{permission.OfCommand("git diff a.go"), conversation.NeedApproval},
		{permission.OfCommand("git log -1"), conversation.NeedApproval},
		{permission.OfCommand("ls; sudo rm -r x"), conversation.NeedRefusal},
		{file("read_file", permission.AccessRead, "a.go"), conversation.NeedNothing},
		{file("read_file", permission.AccessRead, ".env"), conversation.NeedApproval},
		{file("modify_file", permission.AccessEdit, "a.go"), conversation.NeedApproval},
	} {
		if got, why := p.Judge(c.effect); got != c.want {
			t.Errorf("%s %s: %s (%s), want %s", c.effect.Tool, c.effect.Title, got, why, c.want)
		}
	}
	if err := p.Grant(t.Context(), permission.OfCommand("git push"), nil, false); err != nil {
		t.Fatal(err)
	}
	if got, _ := p.Judge(permission.OfCommand("git push")); got != conversation.NeedNothing {
		t.Errorf("granted, it needs %s", got)
	}
}
