package tools

import (
	"regexp"
	"slices"
	"strings"
)

// Commands see the user's environment without keys. A variable is left out if a
// word of its name says that it is a secret, if it belongs to a provider of
// models or is configured as a key, or if its value has the form of a known kind
// of key or of an address with a password in it.

// providerPrefixes begin the names of the providers' variables.
var providerPrefixes = []string{
	"OPENAI_", "ANTHROPIC_", "CLAUDE_", "GEMINI_", "GOOGLE_API", "GOOGLE_GENAI", "OPENROUTER_", "DEEPSEEK_", "MISTRAL_", "XAI_", "GROQ_",
	"OLLAMA_API", "LMSTUDIO_", "LM_STUDIO_", "LLAMACPP_", "LLAMA_API", "VLLM_API", "AZURE_OPENAI", "TOGETHER_", "COHERE_", "HF_TOKEN",
	"FIREWORKS_", "CEREBRAS_", "PERPLEXITY_", "REPLICATE_", "PLIMSOLL_",
}

// secretWords say, as a word of a name between underscores, that it is a secret;
// secretParts say so anywhere in it.
var (
	secretWords = []string{"KEY", "KEYS", "PASS", "PWD", "PAT", "PIN", "AUTH", "CREDS", "CRED", "COOKIE", "COOKIES", "BEARER", "JWT", "PRIVATE"}
	secretParts = []string{"APIKEY", "API_KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "ACCESS_KEY", "ACCESSKEY",
		"PRIVATE_KEY", "PRIVATEKEY"}
	// notSecret are names that sound like secrets and are none.
	notSecret = []string{"PWD", "OLDPWD"}
)

// secretValue is the form of well-known kinds of keys.
var secretValue = regexp.MustCompile(
	`^(sk-|gsk_|xai-|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|hf_|npm_|pypi-|eyJ[A-Za-z0-9_-]+\.|-----BEGIN )` +
		`|^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@\s]*:[^/?#@\s]+@`)

// quiet is set for every command: no colour, no pager, no questions.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "CLICOLOR=0", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// colourful are variables that would bring colour back.
var colourful = []string{"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "LS_COLORS", "LSCOLORS"}

// commandEnvironment is environ as commands see it.
func commandEnvironment(environ, secretNames []string) []string {
	var out []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if secretVariable(name, value) || slices.Contains(colourful, name) ||
			slices.ContainsFunc(secretNames, func(n string) bool { return strings.EqualFold(n, name) }) ||
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
	if upper == "SSH_AUTH_SOCK" { // the way to an agent that asks its owner, not a key
		return false
	}
	has := func(parts []string, f func(string, string) bool) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return f(upper, p) })
	}
	if has(providerPrefixes, strings.HasPrefix) || has(secretParts, strings.Contains) {
		return true
	}
	for word := range strings.FieldsFuncSeq(upper, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if slices.Contains(secretWords, word) {
			return true
		}
	}
	return secretValue.MatchString(value)
}
