package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Commands see the user's environment without keys. A variable is left out if a
// word of its name says that it is a secret, if it belongs to a provider of
// models or is configured as a key, or if its value has the form of a known kind
// of key or of an address with a password in it.

// providerPrefixes begin the names of the variables of providers of models and of
// keepers of passwords.
var providerPrefixes = []string{
	"OPENAI_", "ANTHROPIC_", "CLAUDE_", "GEMINI_", "GOOGLE_API", "GOOGLE_GENAI", "OPENROUTER_", "DEEPSEEK_", "MISTRAL_", "XAI_", "GROQ_",
	"OLLAMA_API", "LMSTUDIO_", "LM_STUDIO_", "LLAMACPP_", "LLAMA_API", "VLLM_API", "AZURE_OPENAI", "TOGETHER_", "COHERE_", "HF_TOKEN",
	"FIREWORKS_", "CEREBRAS_", "PERPLEXITY_", "REPLICATE_", "PLIMSOLL_", "BW_SESSION", "OP_SESSION",
}

// A name is taken apart at what is no letter, also at digits. secretEnds say that
// it is a secret where a part is or ends in one of them, secretParts wherever they
// stand.
var (
	secretEnds = []string{"KEY", "KEYS", "PASS", "PWD", "PW", "PSW", "PAT", "PIN", "AUTH", "CREDS", "CRED", "COOKIE", "COOKIES", "BEARER", "JWT",
		"PRIVATE", "TOK", "SESSID", "OTP", "TOTP", "PSK", "DSN"}
	secretParts = []string{"APIKEY", "API_KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "ACCESS_KEY", "ACCESSKEY",
		"PRIVATE_KEY", "PRIVATEKEY"}
	// innocentParts end like secrets and are words of their own.
	innocentParts = []string{"COMPASS", "BYPASS", "ENCOMPASS", "ASKPASS", "MONKEY", "TURKEY", "DONKEY", "HOTKEY", "HOTKEYS", "WHISKEY", "HOCKEY",
		"SPIN", "EXPAT", "COMPAT", "GOPRIVATE", "GOAUTH"}
	// notSecret are names that sound like secrets but are not. SSH_AUTH_SOCK is the
	// way to an agent that asks its owner, not a key.
	notSecret = []string{"PWD", "OLDPWD", "SSH_AUTH_SOCK"}
)

var secretValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(sk-|gsk_|xai-|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|hf_|npm_|pypi-|eyJ[A-Za-z0-9_-]+\.|-----BEGIN )` +
			`|^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@\s]*:[^/?#@\s]+@` +
			`|(?i)(^|[;&?\s])(password|passwd|pwd|accountkey|sharedaccesskey|sharedaccesssignature|client_secret)=`)
})

// quiet is set for every command: no colour, no pager, no questions.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "CLICOLOR=0", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// unwanted are variables that would bring colour back, or that make shells and
// programs read words otherwise than the permissions do.
var unwanted = []string{"CDPATH", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT", "FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "LS_COLORS", "LSCOLORS"}

// shortestKey is how long a value has to be to be looked for in other values.
const shortestKey = 8

// Environment is environ as commands see it. What is a secret by its name is
// one under every other name, too.
func Environment(environ, secretNames []string) []string {
	secret := func(name, value string) bool {
		return secretVariable(name, value) || slices.ContainsFunc(secretNames, func(n string) bool { return strings.EqualFold(n, name) })
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

func secretVariable(name, value string) bool {
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
