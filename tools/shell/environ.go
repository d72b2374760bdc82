package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Commands get the user's environment without API keys. A variable is removed if a
// word of its name marks a secret, if it belongs to a model provider or is
// configured as an API key, or if its value looks like a known kind of key or like
// an address with a password.

// providerPrefixes begin the names of variables of model providers and of password
// managers.
var providerPrefixes = []string{
	"OPENAI_", "ANTHROPIC_", "CLAUDE_", "GEMINI_", "GOOGLE_API", "GOOGLE_GENAI", "OPENROUTER_", "DEEPSEEK_", "MISTRAL_", "XAI_", "GROQ_",
	"OLLAMA_API", "LMSTUDIO_", "LM_STUDIO_", "LLAMACPP_", "LLAMA_API", "VLLM_API", "AZURE_OPENAI", "TOGETHER_", "COHERE_",
	"HF_TOKEN", "FIREWORKS_", "CEREBRAS_", "PERPLEXITY_", "REPLICATE_", "PLIMSOLL_", "BW_SESSION", "OP_SESSION",
}

// A name is split at every character that is not a letter. It is a secret if one of
// its words ends in one of secretEnds, or if it contains one of secretParts
// anywhere.
var (
	secretEnds = []string{"KEY", "KEYS", "PASS", "PWD", "PW", "PSW", "PAT", "PIN", "AUTH", "CREDS", "CRED", "COOKIE", "COOKIES",
		"BEARER", "JWT", "PRIVATE", "TOK", "SESSID", "OTP", "TOTP", "PSK", "DSN"}
	secretParts = []string{"APIKEY", "API_KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "ACCESS_KEY",
		"ACCESSKEY", "PRIVATE_KEY", "PRIVATEKEY"}
	// innocentParts end like secrets but are other words.
	innocentParts = []string{"COMPASS", "BYPASS", "ENCOMPASS", "ASKPASS", "MONKEY", "TURKEY", "DONKEY", "HOTKEY", "HOTKEYS",
		"WHISKEY", "HOCKEY", "SPIN", "EXPAT", "COMPAT", "GOPRIVATE", "GOAUTH"}
	// notSecret are names that look like secrets but are not. SSH_AUTH_SOCK is the
	// socket of an agent, not a key.
	notSecret = []string{"PWD", "OLDPWD", "SSH_AUTH_SOCK"}
)

var secretValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(sk-|gsk_|xai-|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|hf_|npm_|pypi-|eyJ[A-Za-z0-9_-]+\.|-----BEGIN )` +
			`|^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@\s]*:[^/?#@\s]+@` +
			`|(?i)(^|[;&?\s])(password|passwd|pwd|accountkey|sharedaccesskey|sharedaccesssignature|client_secret)=`)
})

// quiet is set for every command: no colour, no pager, no prompts.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "CLICOLOR=0", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// unwanted are removed: variables that turn colour on, or that make shells and
// programs read words differently from package permission.
var unwanted = []string{"CDPATH", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT", "FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "LS_COLORS", "LSCOLORS"}

// shortestKey is the minimum length of a secret value that is searched for in other values.
const shortestKey = 8

// Environment returns environ without secrets and with the quiet variables. It also
// removes every variable whose value contains the value of a secret.
func Environment(environ, secretNames []string) []string {
	secret := func(name, value string) bool {
		return Secret(name, value) || slices.ContainsFunc(secretNames, func(n string) bool { return strings.EqualFold(n, name) })
	}
	var values []string
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); len(value) >= shortestKey && !strings.HasPrefix(value, "/") && secret(name, value) {
			values = append(values, value)
		}
	}
	var out []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if secret(name, value) || slices.Contains(unwanted, name) ||
			slices.ContainsFunc(values, func(v string) bool { return strings.Contains(value, v) }) ||
			slices.ContainsFunc(quiet, func(q string) bool { return strings.HasPrefix(q, name+"=") }) {
			continue
		}
		out = append(out, kv)
	}
	return append(out, quiet...)
}

// Secret reports whether a variable looks like a key, by its name or by its value.
func Secret(name, value string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(notSecret, upper) {
		return false
	}
	has := func(parts []string, f func(string, string) bool) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return f(upper, p) })
	}
	if has(providerPrefixes, strings.HasPrefix) || has(secretParts, strings.Contains) {
		return true
	}
	for part := range strings.FieldsFuncSeq(upper, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		if !slices.Contains(innocentParts, part) && slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(part, end) }) {
			return true
		}
	}
	return secretValue().MatchString(value)
}
