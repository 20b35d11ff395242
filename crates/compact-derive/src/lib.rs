#![doc = include_str!("../README.md")]

mod attributes;

use attributes::Attributes;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, FieldsNamed, Ident, Result, Variant};

/// Implements `FromJson`, and serde's `Deserialize` through it, so that there is one rule of how the type is read. With
/// `#[json(own_deserialize)]` the type brings its own `Deserialize`.
#[proc_macro_derive(FromJson, attributes(json, serde))]
pub fn from_json(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    implement(&input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn implement(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(parameter, "generic types are not read"));
    }
    let attributes = Attributes::of(&input.attrs)?;
    let (body, key) = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let read = construct(&quote!(Self), fields)?;
                let body = quote! {
                    let mut fields = ::mnemograph_compact::Fields::of(value)?;
                    #read
                };
                (body, None)
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                let body = quote!(::mnemograph_compact::FromJson::from_json(value).map(Self));
                let key = quote!(::mnemograph_compact::FromJson::from_key(key).map(Self));
                (body, Some(key))
            }
            other => return Err(Error::new_spanned(other, "only named fields are read")),
        },
        Data::Enum(data) => {
            let variants: Vec<&Variant> = data.variants.iter().collect();
            (enumeration(&attributes, &variants)?, None)
        }
        Data::Union(_) => return Err(Error::new_spanned(input, "unions are not read")),
    };
    let name = &input.ident;
    let key = key.map(|key| {
        quote! {
            fn from_key(key: String) -> Result<Self, ::mnemograph_compact::Fault> {
                #key
            }
        }
    });
    let deserialize = (!attributes.own_deserialize)
        .then(|| quote!(::mnemograph_compact::deserialize_by_json!(#name);));
    Ok(quote! {
        impl ::mnemograph_compact::FromJson for #name {
            fn from_json(
                value: ::mnemograph_compact::serde_json::Value,
            ) -> Result<Self, ::mnemograph_compact::Fault> {
                #body
            }

            #key
        }

        #deserialize
    })
}

/// Reads a struct or a variant with named fields from `fields`.
fn construct(path: &TokenStream, named: &FieldsNamed) -> Result<TokenStream> {
    let (mut read, mut reads, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for field in &named.named {
        let Some(ident) = &field.ident else { continue };
        let attributes = Attributes::of(&field.attrs)?;
        let name = attributes.rename.unwrap_or_else(|| plain(ident));
        if attributes.skip {
            skipped.push(ident);
            continue;
        }
        read.push(ident);
        reads.push(if attributes.default {
            quote!(fields.read_or_default(#name))
        } else {
            quote!(fields.read(#name))
        });
    }
    Ok(quote! {
        if let (#(Some(#read),)*) = (#(#reads,)*) {
            Ok(#path { #(#read,)* #(#skipped: Default::default(),)* })
        } else {
            Err(fields.fault())
        }
    })
}

fn enumeration(attributes: &Attributes, variants: &[&Variant]) -> Result<TokenStream> {
    let mut names = Vec::new();
    for variant in variants {
        let own = Attributes::of(&variant.attrs)?.rename;
        names.push(own.unwrap_or_else(|| attributes.renamed(&variant.ident)));
    }
    let Some((last, init)) = variants.split_last() else {
        return Err(Error::new(
            proc_macro2::Span::call_site(),
            "an enum has variants",
        ));
    };
    let is_words = attributes.tag.is_none()
        && variants
            .iter()
            .all(|variant| matches!(variant.fields, Fields::Unit));
    let arm = |variant: &Variant| {
        let ident = &variant.ident;
        Ok(match &variant.fields {
            Fields::Unit => quote!(Ok(Self::#ident)),
            Fields::Named(fields) => {
                let read = construct(&quote!(Self::#ident), fields)?;
                if attributes.tag.is_some() {
                    read
                } else {
                    quote! {{
                        let mut fields = ::mnemograph_compact::Fields::of(body)?;
                        #read
                    }}
                }
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                let body = if attributes.tag.is_some() {
                    quote!(fields.rest())
                } else {
                    quote!(body)
                };
                quote!(::mnemograph_compact::FromJson::from_json(#body).map(Self::#ident))
            }
            other => {
                return Err(Error::new_spanned(
                    other,
                    "variants have one value or named ones",
                ));
            }
        })
    };
    let places = 0..init.len();
    let arms = init
        .iter()
        .map(|variant| arm(variant))
        .collect::<Result<Vec<_>>>()?;
    let last = arm(last)?;
    let place = match &attributes.tag {
        _ if is_words => quote!(let place = ::mnemograph_compact::word(&value, NAMES)?;),
        Some(tag) => quote! {
            let mut fields = ::mnemograph_compact::Fields::of(value)?;
            let place = fields.tag(#tag, NAMES)?;
        },
        None => quote!(let (place, body) = ::mnemograph_compact::variant(value, NAMES)?;),
    };
    Ok(quote! {
        const NAMES: &[&str] = &[#(#names),*];
        #place
        match place {
            #(#places => #arms,)*
            _ => #last,
        }
    })
}

/// The name without `r#`.
fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}
