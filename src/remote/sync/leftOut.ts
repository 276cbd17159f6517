/** What never leaves this computer, whatever a project's own files say. */

/** Version control, environments and caches, by the name of a file or folder. */
const NAMES = new Set([
  ".git",
  ".hg",
  ".svn",
  ".bzr",
  "CVS",
  "_darcs",
  ".jetson-memprof",
  "__pycache__",
  ".ipynb_checkpoints",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".tox",
  ".nox",
  ".eggs",
  ".venv",
  "venv",
  "node_modules",
]);

/** A folder with one of these is an environment: virtualenv and venv write the first, conda the second. */
const IN_ENVIRONMENTS = ["pyvenv.cfg", "conda-meta"];

export function isNeverSent(name: string): boolean {
  return NAMES.has(name) || name.endsWith(".pyc");
}

export function isEnvironment(names: ReadonlySet<string>): boolean {
  return IN_ENVIRONMENTS.some((name) => names.has(name));
}

/**
 * Where programs keep credentials, as .gitignore patterns without regard to case. Which ones: GitHub's ignore templates,
 * the files that git-secrets and Docker's documentation warn of, and where the tools of this field log in (Hugging
 * Face, Kaggle, Weights & Biases through .netrc, the clouds).
 */
export const CREDENTIALS = `
.env
.env.*
!.env.example
!.env.sample
!.env.template
.envrc
*.pem
*.key
*.p12
*.pfx
*.jks
*.keystore
*.ppk
*.kdbx
id_rsa
id_dsa
id_ecdsa
id_ed25519
id_ecdsa_sk
id_ed25519_sk
.ssh/
.gnupg/
.aws/
.azure/
.gcloud/
.config/gcloud/
.kube/
.docker/
.dockercfg
.kaggle/
kaggle.json
.huggingface/
.netrc
_netrc
.git-credentials
.npmrc
.yarnrc.yml
.pypirc
.pip/
pip.conf
.pgpass
.my.cnf
.htpasswd
.boto
.s3cfg
.databrickscfg
.terraformrc
.vault-token
rclone.conf
credentials.json
client_secret*.json
application_default_credentials.json
service_account*.json
service-account*.json
.secrets/
secrets.toml
secrets.yaml
secrets.yml
secrets.json
`;
